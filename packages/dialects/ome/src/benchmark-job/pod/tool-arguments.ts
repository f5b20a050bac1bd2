import type { BenchmarkIntent } from "../lower.ts";
import { jobNameOf } from "../names/job-name.ts";
import type { BenchmarkJob } from "./check-spec.ts";
import { requestParams } from "./request-params.ts";

/** The tool insists on a key, also where the server wants none. A real one comes as MODEL_API_KEY, which the tool prefers. */
const placeholderKey = "sample-key";
const keyBackends = ["openai", "vllm", "sglang"];

/** The words of the tool for its GPUs, where they are others than those of this API. */
const gpuWords: Readonly<Record<string, string>> = { A100: "A100-80G" };

export const folderOf = (object: BenchmarkJob): string => object.spec.resultFolderName ?? jobNameOf(object);

/** The command line of genai-bench after its name. */
export function toolArguments(object: BenchmarkJob, intent: BenchmarkIntent, tokenizer: string): string[] {
  const { spec } = object;
  const { backend, url, modelName, output, dataset } = intent;
  const { task, trafficScenarios = [], numConcurrency = [], serviceMetadata: about } = spec;
  const params = requestParams(spec.additionalRequestParams ?? {});
  return [
    "benchmark",
    ...["--api-backend", backend, "--api-base", url, "--api-model-name", modelName],
    ...(keyBackends.includes(backend) ? ["--api-key", placeholderKey] : []),
    ...["--model-tokenizer", tokenizer, "--task", task],
    ...["--max-time-per-run", String(spec.maxTimePerIteration)],
    ...["--max-requests-per-run", String(spec.maxRequestsPerIteration)],
    ...trafficScenarios.flatMap((scenario) => ["--traffic-scenario", scenario]),
    ...numConcurrency.flatMap((count) => ["--num-concurrency", String(count)]),
    ...(Object.keys(params).length === 0 ? [] : ["--additional-request-params", JSON.stringify(params)]),
    ...["--experiment-folder-name", folderOf(object)],
    ...(about === undefined
      ? []
      : [
          ...["--server-engine", about.engine, "--server-version", about.version],
          ...["--server-gpu-type", gpuWords[about.gpuType] ?? about.gpuType],
          ...["--server-gpu-count", String(about.gpuCount)],
        ]),
    ...dataset.args,
    ...output.args,
  ];
}

/** Where the results of a benchmark are stored. Another operator, which has named the Job, lets the tool choose the folder. */
export function resultsAt(object: BenchmarkJob, otherJob?: string): string {
  const place = object.spec.outputLocation.storageUri.replace(/\/+$/, "");
  const folder = otherJob === undefined ? folderOf(object) : object.spec.resultFolderName;
  return folder === undefined ? place : `${place}/${folder}`;
}
