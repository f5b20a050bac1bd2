import type { api } from "@trivium/kube";
import { engineFamilyOf, isFlagPresent, startsWithShell } from "../pod/engine-family.ts";
import { withEnv } from "../pod/with-env.ts";

/** An adapter as an engine is told of it. */
export interface AdapterFiles {
  readonly name: string;
  /** The folder, or the one file. */
  readonly path: string;
  /** The one file they consist of, where they do. */
  readonly file?: string | undefined;
  readonly rank?: number | undefined;
}

/** Why a container cannot be told of adapters. */
export class AdapterRefusal extends Error {}

/** Adapters as `name=path` with spaces between: for runtimes that want to pass them on by themselves. */
export const adaptersVariable = "LORA_MODULES";

/** The container, told of the adapters in the way its engine understands; one that mentions the variable does it by itself. */
export function passAdapters(container: api.Container, adapters: readonly AdapterFiles[]): api.Container {
  const pairs = adapters.map(({ name, path }) => `${name}=${path}`);
  const reported = withEnv(container, [{ name: adaptersVariable, value: pairs.join(" ") }]);
  const { command = [], args = [] } = container;
  if ([...command, ...args].some((word) => word.includes(adaptersVariable))) return reported;
  const family = engineFamilyOf(container);
  if (family === "tgi") return withEnv(reported, [{ name: "LORA_ADAPTERS", value: pairs.join(",") }]);
  if (family === undefined) {
    const why = `the engine of container ${container.name} cannot be identified from its image or command`;
    throw new AdapterRefusal(`${why}; use $(${adaptersVariable}) where its arguments list adapters`);
  }
  if (startsWithShell(container)) {
    const why = `container ${container.name} is started by a shell, so no arguments can be added`;
    throw new AdapterRefusal(`${why}; use $${adaptersVariable} where its script lists adapters`);
  }
  const more = argumentsOf[family](adapters, [...command, ...args]);
  return { ...reported, args: [...args, ...more] };
}

type Arguments = (adapters: readonly AdapterFiles[], present: readonly string[]) => string[];

const argumentsOf: Readonly<Record<"vllm" | "sglang" | "llama.cpp", Arguments>> = {
  vllm: (adapters, present) => [
    ...unlessPresent(present, "--enable-lora"),
    ...rankOf(adapters, present),
    "--lora-modules",
    ...pairsOf(adapters),
  ],
  sglang: (adapters) => ["--lora-paths", ...pairsOf(adapters)],
  "llama.cpp": (adapters) => adapters.flatMap((one) => ["--lora", oneFile(one)]),
};

const pairsOf = (adapters: readonly AdapterFiles[]): string[] => adapters.map(({ name, path }) => `${name}=${path}`);

const unlessPresent = (present: readonly string[], flag: string): string[] =>
  isFlagPresent(present, flag) ? [] : [flag];

/** Ranks that vLLM knows; it refuses adapters of a higher one than it was told, and takes 16 when it was told nothing. */
const ranks = [16, 32, 64, 128, 256, 320, 512];

function rankOf(adapters: readonly AdapterFiles[], present: readonly string[]): string[] {
  const highest = Math.max(0, ...adapters.map(({ rank = 0 }) => rank));
  const step = ranks.find((rank) => rank >= highest);
  const isUsual = step === ranks[0] || step === undefined;
  return isUsual || isFlagPresent(present, "--max-lora-rank") ? [] : ["--max-lora-rank", String(step)];
}

function oneFile({ name, path, file }: AdapterFiles): string {
  if (/\.gguf$/i.test(path)) return path;
  if (file !== undefined) return `${path}/${file}`;
  const why = `llama.cpp requires an adapter as a single GGUF file, and FineTunedWeight ${name} has none`;
  throw new AdapterRefusal(`${why}; convert it, or set spec.storage.storageUri to the file`);
}
