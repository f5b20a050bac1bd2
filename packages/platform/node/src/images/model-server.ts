import { engineWith } from "./engine-row.ts";
import { type Flag, readFlags } from "./flags.ts";
import { fromPath } from "./from-path.ts";
import type { ImageCall, ImageMachine, ImagePlan, ImageRow, Listening } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";

type Meaning = "model" | "alias" | "context" | "host" | "port" | "apiKey" | "adapters";

/** A model server that llama.cpp can stand in for: its names, and those of its flags that matter. */
export interface ModelServer {
  readonly name: string;
  readonly match: readonly string[];
  /** How it is started, by images and by people; the first way is used here. */
  readonly ways: readonly (readonly string[])[];
  /** The module of Python that it is, where it has no program of its own. */
  readonly module?: string;
  readonly flags: Readonly<Record<string, Meaning>>;
  /** Variables that stand for flags. */
  readonly env: Readonly<Record<string, Meaning>>;
  readonly listening: Listening;
}

/** The flags of the engine. A key goes by the environment, where the list of processes does not show it. */
const engineFlags: Readonly<Record<Exclude<Meaning, "apiKey" | "adapters">, string>> = {
  model: "--model",
  alias: "--alias",
  context: "--ctx-size",
  host: "--host",
  port: "--port",
};

/** Runs the server where it is installed, and the local engine in its place where the weights are GGUF. */
export function modelServerRow(server: ModelServer): ImageRow {
  return {
    match: server.match,
    async plan(call, machine) {
      const found = readProgramCall(call, server.ways);
      if (found.is === "other") return fromPath(found.argv, machine);
      const [program = "", ...lead] = server.ways[0] ?? [];
      const installed = machine.which(program);
      const isThere = server.module === undefined || (await machine.hasModule(server.module));
      if (installed !== undefined && isThere) {
        return { is: "runs", argv: [installed, ...lead, ...found.args], listening: server.listening };
      }
      return standIn(server, { call, args: found.args }, machine);
    },
  };
}

async function standIn(
  server: ModelServer,
  { call, args }: { call: ImageCall; args: readonly string[] },
  machine: ImageMachine,
): Promise<ImagePlan> {
  const { wanted, dropped } = translate(server, args, call.env);
  const [model = ""] = wanted.get("model") ?? [];
  const weights = model === "" ? undefined : await machine.findGguf(model);
  if (weights === undefined) {
    const what =
      model === "" ? "its arguments contain no model" : `${model} contains no GGUF weights for the local engine`;
    return { is: "impossible", why: `${server.name} is not installed on this node and ${what}` };
  }
  const flags: string[] = [];
  for (const [meaning, values] of wanted) {
    if (meaning !== "apiKey" && meaning !== "adapters")
      flags.push(engineFlags[meaning], meaning === "model" ? weights : values.join(","));
  }
  const adapters = await findAdapters(wanted.get("adapters") ?? [], machine);
  const plan = engineWith([...flags, ...adapters.flags], machine, call.accelerators);
  if (plan.is !== "runs") return plan;
  const usual = server.listening.port?.usual;
  const isPortSaid = wanted.has("port") || usual === undefined;
  const key = wanted.get("apiKey")?.[0];
  return {
    ...plan,
    argv: isPortSaid ? plan.argv : [...plan.argv, "--port", String(usual)],
    // Those that it stands in for tell measurements without being asked; autoscalers count on it.
    env: {
      ...plan.env,
      LLAMA_ARG_ENDPOINT_METRICS: "1",
      ...adapters.env,
      ...(key === undefined ? {} : { LLAMA_API_KEY: key }),
    },
    standsInFor: server.name,
    notes: [
      `trivium: ${server.name} is not installed; serving ${weights} with the local engine`,
      ...adapters.notes,
      ...(dropped.length === 0 ? [] : [`trivium: ignored flags that it does not support: ${dropped.join(", ")}`]),
    ],
  };
}

interface AdapterFlags {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/**
 * Adapters as `name=folder`, as flags of the engine. They are loaded and not applied: a request names the one that it needs, as with the
 * server that is meant. One without a GGUF file cannot be loaded; the others are.
 */
async function findAdapters(pairs: readonly string[], machine: ImageMachine): Promise<AdapterFlags> {
  const files: { name: string; file: string }[] = [];
  const notes: string[] = [];
  for (const pair of pairs) {
    const [, name = "", path = ""] = /^([^=,{}]+)=(.+)$/.exec(pair) ?? [];
    const file = name === "" ? undefined : await machine.findGguf(path);
    if (file === undefined) notes.push(`trivium: ignored adapter ${name || "without a name"}: it has no GGUF file`);
    else files.push({ name, file });
  }
  if (files.length === 0) return { flags: [], env: {}, notes };
  return {
    flags: [...files.flatMap(({ file }) => ["--lora", file]), "--lora-init-without-apply"],
    env: { TRIVIUM_LORA_NAMES: files.map(({ name }) => name).join(",") },
    notes,
  };
}

interface Translation {
  readonly wanted: ReadonlyMap<Meaning, readonly string[]>;
  /** Names of flags, never their values. */
  readonly dropped: readonly string[];
}

function translate(
  { flags, env }: ModelServer,
  args: readonly string[],
  given: ReadonlyMap<string, string>,
): Translation {
  const wanted = new Map<Meaning, readonly string[]>();
  for (const [name, meaning] of Object.entries(env)) {
    const value = given.get(name);
    if (value) wanted.set(meaning, [value]);
  }
  const dropped: string[] = [];
  for (const { name, values } of readFlags(args)) {
    const meaning = meaningOf(flags, { name, values });
    if (meaning === undefined) dropped.push(name || "arguments without a flag");
    else if (values.length > 0) wanted.set(meaning, values);
  }
  return { wanted, dropped };
}

/** A word before all flags is the model; flags are the same with `_` and `-`. */
function meaningOf(flags: ModelServer["flags"], { name, values }: Flag): Meaning | undefined {
  if (name === "") return values.length > 0 ? "model" : undefined;
  return flags[name] ?? flags[name.replaceAll("_", "-")];
}
