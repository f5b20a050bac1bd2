import { chooseBuild } from "./engine-builds.ts";
import { fromPath } from "./from-path.ts";
import type { ImageMachine, ImagePlan, ImageRow, Listening } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";
import { listenHost, listenPort } from "./shims.ts";

const listening: Listening = {
  host: { flags: ["--host"], env: "LLAMA_ARG_HOST" },
  port: { flags: ["--port"], env: "LLAMA_ARG_PORT", usual: 8080 },
};

/** Images of llama.cpp's server: the local engine takes the same flags. */
export const engineRow: ImageRow = {
  match: ["ghcr.io/ggml-org/llama.cpp*", "ghcr.io/ggerganov/llama.cpp*", "*llama-server*", "*llama.cpp*", "*llamacpp*"],
  plan(call, machine) {
    const { accelerators } = call;
    const found = readProgramCall(call, [["llama-server"], ["server"], ["tools.sh", "--server"], ["tools.sh", "-s"]]);
    if (found.is === "other") return scriptWithEngine(found.argv, machine, accelerators);
    // The image with all tools starts the server by its first argument.
    const isAllTools = found.args[0] === "--server" || found.args[0] === "-s";
    return engineWith(isAllTools ? found.args.slice(1) : found.args, machine, accelerators);
  },
};

/** A script finds the engine under the name that it has in the image, and the engine is told where to listen past the script. */
function scriptWithEngine(argv: readonly string[], machine: ImageMachine, accelerators: readonly string[]): ImagePlan {
  const build = chooseBuild(accelerators, machine.programs.engineBuilds?.() ?? []);
  if (build.is === "missing") return { is: "lacking", why: build.why };
  const { folder, path } = machine.shims;
  const words = argv.map((word) =>
    word.replace(/(?<![\w./-])\/app\/llama-server(?![\w./-])/g, `${folder}/llama-server`),
  );
  const asked = words.flatMap((word) => /--port[= ](\d+)/.exec(word)?.[1] ?? []).map(Number);
  const plan = fromPath(words, machine, {
    host: { env: listenHost },
    port: { env: listenPort, usual: asked[0] ?? 8080 },
  });
  return plan.is === "runs"
    ? { ...plan, env: { ...machine.programs.engineEnvironment, ...build.env, PATH: path } }
    : plan;
}

export function engineWith(
  args: readonly string[],
  { programs, which }: ImageMachine,
  accelerators: readonly string[],
): ImagePlan {
  const native = which("llama-server");
  const engine = programs.engine ?? (native === undefined ? undefined : [native]);
  if (engine === undefined)
    return { is: "impossible", why: "this node has no local engine and no llama-server in its PATH" };
  // A llama-server of the user's own is built for what the machine has.
  const isOwn = programs.engine !== undefined;
  const build = chooseBuild(isOwn ? accelerators : [], programs.engineBuilds?.() ?? []);
  if (build.is === "missing") return { is: "lacking", why: build.why };
  const env = { ...programs.engineEnvironment, ...build.env };
  const isPlain = Object.keys(env).length === 0;
  return { is: "runs", argv: [...engine, ...args], listening, ...(isPlain ? {} : { env }) };
}
