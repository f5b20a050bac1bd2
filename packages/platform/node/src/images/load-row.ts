import { join } from "node:path";
import { readFlags } from "./flags.ts";
import { fromPath } from "./from-path.ts";
import type { ImagePlan, ImageRow } from "./image-row.ts";
import { readProgramCall } from "./program-call.ts";

/** Images of genai-bench: the real tool where it is installed, else our own load generator, which is told the same in its own words. */
export const loadRow: ImageRow = {
  match: ["*genai-bench*"],
  plan(call, machine) {
    const found = readProgramCall(call, [["genai-bench"]]);
    if (found.is === "other") return fromPath(found.argv, machine);
    const real = machine.which("genai-bench");
    if (real !== undefined) return { is: "runs", argv: [real, ...found.args] };
    const { load } = machine.programs;
    if (load === undefined) return { is: "impossible", why: "this node has neither trivium-bench nor genai-bench" };
    const [verb, ...args] = found.args;
    if (verb !== "benchmark")
      return { is: "impossible", why: "only the benchmark command of genai-bench is supported" };
    return benchmarkWith(load, args);
  },
};

const backends = ["openai", "vllm", "sglang"];

/** Flags that mean the same here under another name. */
const renamed: Readonly<Record<string, string>> = {
  "--api-base": "--url",
  "--api-model-name": "--model",
  "--task": "--task",
  "--traffic-scenario": "--scenario",
  "--num-concurrency": "--concurrency",
  "--max-requests-per-run": "--max-requests",
  "--additional-request-params": "--params",
};
const noted = ["--server-engine", "--server-version", "--server-gpu-type", "--server-gpu-count"];

function benchmarkWith(load: readonly string[], args: readonly string[]): ImagePlan {
  const flags = readFlags(args);
  const last = (name: string): string | undefined => flags.findLast((flag) => flag.name === name)?.values[0];
  const backend = last("--api-backend")?.toLowerCase() ?? "openai";
  if (!backends.includes(backend))
    return { is: "impossible", why: `trivium-bench does not support the API ${backend} (supported: the OpenAI API)` };
  if (flags.some(({ name }) => name === "--upload-results"))
    return { is: "impossible", why: "uploading results is not supported; store them in a claim (pvc://)" };
  const same = flags.flatMap(({ name, values }) => {
    const known = renamed[name];
    return known === undefined ? [] : values.map((value) => `${known}=${value}`);
  });
  const about = flags
    .filter(({ name }) => noted.includes(name))
    .map(({ name, values }) => `--about=${name.slice("--server-".length)}=${values[0] ?? ""}`);
  const minutes = last("--max-time-per-run");
  const [folder, base] = [last("--experiment-folder-name"), last("--experiment-base-dir")];
  const key = last("--api-key");
  return {
    is: "runs",
    argv: [
      ...load,
      ...same,
      ...(minutes === undefined ? [] : [`--max-time=${minutes}m`]),
      ...(folder === undefined && base === undefined ? [] : [`--output=${join(base ?? ".", folder ?? "results")}`]),
      ...about,
    ],
    // A key in a list of processes would be everybody's.
    ...(key === undefined ? {} : { env: { OPENAI_API_KEY: key } }),
    ...(last("--dataset-path") === undefined
      ? {}
      : { notes: ["trivium: generating requests; the dataset is ignored"] }),
  };
}
