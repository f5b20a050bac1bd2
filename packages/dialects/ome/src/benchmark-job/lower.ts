import type { AwaitedTarget, MeasurementIntent, MeasurementRequest, RunObserved } from "@trivium/domain";
import { benchmarkPaths } from "../field-paths.ts";
import type { MeasuredModel, MeasuredService, ObservedBenchmark } from "./observe.ts";
import { type BenchmarkJob, type Faulty, faultOfSpec, formatFault } from "./pod/check-spec.ts";
import { configured } from "./pod/configuration.ts";
import { type DatasetPlan, planDataset } from "./pod/dataset.ts";
import { planJob } from "./pod/job.ts";
import type { BenchmarkOptions } from "./pod/options.ts";
import { type OutputPlan, planOutput } from "./pod/output.ts";
import { wasReported } from "./status/details.ts";
import type { BenchmarkReason } from "./status/reasons.ts";

/** The whole request, in the words of the engines. */
export function lowerBenchmark(
  object: BenchmarkJob,
  observed: ObservedBenchmark,
  options: BenchmarkOptions,
): MeasurementIntent<BenchmarkReason> {
  return {
    run: runOf(observed),
    isOver: wasReported(object),
    request: requestOf(object, observed, options),
    paths: benchmarkPaths,
  };
}

function runOf({ job, pods, refused, summary }: ObservedBenchmark): RunObserved | undefined {
  return job.is === "known" ? { pods, refused, summary, ended: job.value.ended } : undefined;
}

function requestOf(
  object: BenchmarkJob,
  observed: ObservedBenchmark,
  options: BenchmarkOptions,
): MeasurementRequest<BenchmarkReason> {
  const lowered = lowerRequest(object, observed);
  if (lowered.is === "faulty") return { is: "faulty", message: formatFault(lowered.fault) };
  if (lowered.is === "waiting") return lowered;
  const given = observed.configuration?.is === "known" ? observed.configuration.value : undefined;
  return { is: "runnable", job: planJob(object, lowered.intent, configured(options, given)) };
}

/** What is to be measured, with everything that the tool must be told. */
export interface BenchmarkIntent {
  readonly backend: string;
  readonly url: string;
  readonly modelName: string;
  /** Where the files of the model are, when the tool can use them for counting tokens. */
  readonly model?: MeasuredModel & { readonly namespace: string | undefined };
  readonly output: OutputPlan;
  readonly dataset: Extract<DatasetPlan, { is: "planned" }>;
}

type Waiting = { readonly is: "waiting" } & AwaitedTarget<BenchmarkReason>;

type Lowered = { readonly is: "intended"; readonly intent: BenchmarkIntent } | Faulty | Waiting;

const waiting = (reason: BenchmarkReason, message: string): Lowered => ({ is: "waiting", reason, message });

function lowerRequest(object: BenchmarkJob, observed: ObservedBenchmark): Lowered {
  const fault = faultOfSpec(object);
  if (fault !== undefined) return { is: "faulty", fault };
  const [output, dataset] = [planOutput(object), planDataset(object)];
  if (output.is === "faulty") return output;
  if (dataset.is === "faulty") return dataset;
  if (observed.claim?.is === "absent") {
    const message = `PersistentVolumeClaim ${output.claim} not found in this namespace; create it, or change spec.outputLocation`;
    return waiting("OutputClaimNotFound", message);
  }
  const target = lowerTarget(object, observed);
  return target.is === "target" ? { is: "intended", intent: { ...target.target, output, dataset } } : target;
}

type Target = Omit<BenchmarkIntent, "output" | "dataset">;
type LoweredTarget = Exclude<Lowered, { is: "intended" }> | { readonly is: "target"; readonly target: Target };

function lowerTarget({ spec }: BenchmarkJob, observed: ObservedBenchmark): LoweredTarget {
  const { endpoint, inferenceService } = spec.endpoint;
  if (endpoint !== undefined) {
    const { url, apiFormat: backend, modelName } = endpoint;
    if (modelName) return { is: "target", target: { backend, url, modelName } };
    const name = listedName(observed);
    if (name !== undefined) return { is: "target", target: { backend, url, modelName: name } };
    const message = "The endpoint lists no model at /v1/models; set spec.endpoint.endpoint.modelName";
    return { is: "waiting", reason: "ModelNameUnknown", message };
  }
  const place = `InferenceService ${inferenceService?.namespace}/${inferenceService?.name}`;
  const { service } = observed;
  if (service?.is !== "known")
    return {
      is: "waiting",
      reason: "InferenceServiceNotFound",
      message: `${place} not found; create it, or change spec.endpoint.inferenceService`,
    };
  return lowerService(service.value, observed, { place, namespace: inferenceService?.namespace });
}

function lowerService(
  service: MeasuredService,
  observed: ObservedBenchmark,
  { place, namespace }: { place: string; namespace: string | undefined },
): LoweredTarget {
  const { isReady, why, isAsleep, url, protocol, servedName, model } = service;
  const reason = "InferenceServiceNotReady";
  if (!isReady) return { is: "waiting", reason, message: `${place} is not ready`, why };
  if (isAsleep) {
    const message = `${place} is scaled to zero, and the benchmark does not start it; send it a request, or set its minReplicas to 1 during the benchmark`;
    return { is: "waiting", reason, message };
  }
  if (url === undefined || !URL.canParse(url))
    return { is: "waiting", reason, message: `${place} has no URL in status.url` };
  const found = model.is === "known" ? model.value : undefined;
  const listed = servedName === undefined ? listedName(observed, found?.name) : undefined;
  const modelName = servedName ?? listed ?? found?.name;
  if (modelName === undefined)
    return {
      is: "waiting",
      reason: "ModelNameUnknown",
      message: `${place} reports no model name; set a model in its spec.model`,
    };
  const target: Target = {
    backend: backendOf(protocol),
    url: new URL(url).origin,
    modelName,
    ...(found === undefined ? {} : { model: { ...found, namespace } }),
  };
  return { is: "target", target };
}

/** What the tool can speak; words of other protocols would only end it. */
const backends = ["openai", "cohere", "oci-cohere", "vllm", "sglang"];

function backendOf(protocol: string | undefined): string {
  const word = protocol?.toLowerCase() ?? "";
  return backends.includes(word) ? word : "openai";
}

/** One of the names that the server lists: the model's own where it is among them. */
function listedName({ served }: ObservedBenchmark, own?: string): string | undefined {
  if (served?.is !== "known") return undefined;
  return own !== undefined && served.value.includes(own) ? own : served.value.toSorted()[0];
}
