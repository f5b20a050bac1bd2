import { fromPath } from "./from-path.ts";
import type { ImageMachine, ImagePlan, ImageRow, Listening } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";

const listening: Listening = {
  host: { flags: ["--host"], env: "LLAMA_ARG_HOST" },
  port: { flags: ["--port"], env: "LLAMA_ARG_PORT", usual: 8080 },
};

/** A script names the program itself; only its variables can be told. */
const inScripts: Listening = { host: { env: "LLAMA_ARG_HOST" }, port: { env: "LLAMA_ARG_PORT", usual: 8080 } };

/** Images of llama.cpp's server: the local engine takes the same flags. */
export const engineRow: ImageRow = {
  match: ["ghcr.io/ggml-org/llama.cpp*", "ghcr.io/ggerganov/llama.cpp*", "*llama-server*", "*llama.cpp*", "*llamacpp*"],
  plan(call, machine) {
    const found = readProgramCall(call, [["llama-server"], ["server"], ["tools.sh", "--server"], ["tools.sh", "-s"]]);
    if (found.is === "other") return fromPath(found.argv, machine, inScripts);
    // The image with all tools starts the server by its first argument.
    const isAllTools = found.args[0] === "--server" || found.args[0] === "-s";
    return engineWith(isAllTools ? found.args.slice(1) : found.args, machine);
  },
};

export function engineWith(args: readonly string[], { programs, which }: ImageMachine): ImagePlan {
  const native = which("llama-server");
  const engine = programs.engine ?? (native === undefined ? undefined : [native]);
  if (engine === undefined)
    return { is: "impossible", why: "this node has no local engine, and no llama-server on its PATH" };
  return { is: "runs", argv: [...engine, ...args], listening };
}
