import type { HealthReport, Trouble } from "@trivium/domain";
import { finalSentence, tellUnschedulable } from "@trivium/engines";
import type { GpuPlan } from "../hardware/gpu-plan.ts";
import { faultOfFile } from "../model/file-facts.ts";
import { parseSource } from "../weights/source.ts";
import type { ServiceReason } from "../words.ts";
import type { ServiceSeen } from "./observe.ts";

/** The cause in this dialect's words. */
export interface Diagnosis {
  readonly reason: ServiceReason;
  readonly message: string;
}

const staleDriver = [
  "driver on your system is too old",
  "cuda driver version is insufficient",
  "cudaerrorinsufficientdriver",
  "cuda_error_insufficient_driver",
];

/** Exit codes of `trivium-weights`, which says in its last words what went wrong. */
const byExitCode: Readonly<Record<number, ServiceReason>> = {
  3: "ModelSourceNotFound",
  4: "ModelSourceUnauthorized",
  5: "IntegrityCheckFailed",
  6: "ModelTransferOutOfSpace",
  7: "ModelSourceUnreachable",
};

/** What other programs that fetch say; the first that matches. */
const byWords: readonly [RegExp, ServiceReason][] = [
  [/certificate|self.signed|tls|ssl/i, "ModelSourceUntrusted"],
  [/\b40[13]\b|unauthorized|forbidden|SignatureDoesNotMatch|InvalidAccessKeyId/i, "ModelSourceUnauthorized"],
  [/\b404\b|not found|NoSuchKey|NoSuchBucket/i, "ModelSourceNotFound"],
  [/no space|ENOSPC|quota/i, "ModelTransferOutOfSpace"],
  [/resolve|refused|timed? ?out|unreachable|ECONN/i, "ModelSourceUnreachable"],
];

/** What a person can do about it, where the cause does not say so itself. */
const remedies: Partial<Record<ServiceReason, string>> = {
  ModelSourceNotFound: "correct spec.source of the Model",
  ModelSourceUnauthorized: "give a token, as HF_TOKEN in spec.env from a Secret",
  ModelSourceUntrusted: "make its certificate authority known to the pods",
  ModelSourceUnreachable: "see that the nodes reach it; it is tried again",
  ModelTransferOutOfSpace: "make room in the cache, or use a larger one",
  IntegrityCheckFailed: "correct spec.sha256 of the Model, or its source",
  VolumeUnavailable: "see why the claim has no volume here",
  ImageUnavailable: "set spec.image to one that the nodes can get",
  OutOfMemory: "raise spec.resources.memory or lower spec.contextSize",
  CUDADriverInsufficient: "update the driver of the node, or set spec.image to a build for an older one",
  InvalidModelFile: "put a good file there, or name another in spec.source of the Model",
  UnsupportedModel: "set spec.image to a newer build of the engine, or use another model",
  EngineCrashed: "read its log with kubectl logs --previous",
};

/** What the cause may lie in besides the pods. */
export interface Around {
  readonly gpu: GpuPlan;
  readonly seen: Pick<ServiceSeen, "pods" | "nodes" | "lacksGpu" | "header" | "model">;
}

/** Names the one cause and the way out; nothing while pods only need time. */
export function diagnose(health: HealthReport, around: Around): Diagnosis | undefined {
  const cause = causeOf(health, around);
  const remedy = cause === undefined ? undefined : remedyOf(cause);
  if (cause === undefined || remedy === undefined) return cause;
  return { ...cause, message: `${cause.message.replace(/[.\s]+$/, "")}; ${remedy}` };
}

function remedyOf({ reason, message }: Diagnosis): string | undefined {
  if (reason === "PodRefused" && /\b(?:secret|configmap) "[^"]*" not found/i.test(message)) return "create it";
  return remedies[reason];
}

function causeOf({ trouble }: HealthReport, { gpu, seen }: Around): Diagnosis | undefined {
  if (trouble === undefined) return undefined;
  if (trouble.role === "prepares" && (trouble.kind === "crash" || trouble.kind === "memory"))
    return ofTransfer(trouble);
  switch (trouble.kind) {
    case "unschedulable":
      return isForGpu(trouble, gpu)
        ? { reason: "InsufficientGPU", message: ofMissingGpu(trouble, gpu, seen) }
        : { reason: "NoNodeFits", message: trouble.message };
    case "volume":
      return { reason: "VolumeUnavailable", message: trouble.message };
    case "image":
      return { reason: "ImageUnavailable", message: trouble.message };
    case "configuration":
      return { reason: "PodRefused", message: trouble.message };
    case "evicted":
      return { reason: "Evicted", message: trouble.message };
    case "memory":
      return { reason: "OutOfMemory", message: withLastWords(trouble) };
    default:
      return ofCrash(trouble, seen);
  }
}

type GpuResource = Extract<GpuPlan, { is: "resource" }>;

/** Where no node has such a GPU, freeing some is no way out. */
function ofMissingGpu(
  { pod, message }: Trouble,
  { resource }: GpuResource,
  { lacksGpu, pods }: Around["seen"],
): string {
  const said = pods.find(({ name }) => name === pod)?.unschedulable;
  return lacksGpu === undefined || said === undefined ? message : tellUnschedulable(said, resource);
}

function isForGpu({ message }: Trouble, gpu: GpuPlan): gpu is GpuResource {
  return gpu.is === "resource" && message.includes(`Insufficient ${gpu.resource}`);
}

function ofTransfer({ lastWords, ...rest }: Trouble): Diagnosis {
  const words = finalSentence(lastWords ?? "");
  const trouble: Trouble = { ...rest, ...(words === "" ? {} : { lastWords: words }) };
  const isUntrusted = byWords[0]?.[0].test(words) === true;
  const reason =
    (isUntrusted ? "ModelSourceUntrusted" : byExitCode[trouble.exitCode ?? -1]) ??
    byWords.find(([pattern]) => pattern.test(words))?.[1] ??
    "ModelTransferFailed";
  return { reason, message: withLastWords(trouble) };
}

function ofCrash(trouble: Trouble, seen: Around["seen"]): Diagnosis {
  const words = trouble.lastWords ?? "";
  const driver = staleDriver.map((one) => words.toLowerCase().indexOf(one)).find((at) => at !== -1);
  if (driver !== undefined) return { reason: "CUDADriverInsufficient", message: ofDriver(trouble, driver, seen) };
  const broken = faultOfFile(seen);
  if (broken !== undefined)
    return { reason: "InvalidModelFile", message: `The engine cannot read the file: ${broken}` };
  const missing = missingOnClaim(words, seen);
  if (missing !== undefined) return { reason: "InvalidModelFile", message: missing };
  const reason = unknownModel.test(words) ? "UnsupportedModel" : "EngineCrashed";
  return { reason, message: withLastWords(trouble) };
}

/** What engines say of models that they are too old for. */
const unknownModel = /unknown model architecture|unsupported model architecture|are not supported for now/i;

/** Engines name the path at which a claim is mounted, which tells nobody where to look. */
function missingOnClaim(words: string, { model }: Around["seen"]): string | undefined {
  const source = model.is === "known" ? parseSource(model.value.spec.source) : undefined;
  if (source?.is !== "claim" || !words.includes(`/${source.path}`) || !noSuchFile.test(words)) return undefined;
  return `PersistentVolumeClaim ${source.claim} has no file ${source.path}`;
}

const noSuchFile = /no such file|does not exist|ENOENT/i;

/** The words around the complaint, and what the node says of its driver. */
function ofDriver({ pod, message, lastWords = "" }: Trouble, at: number, { pods, nodes }: Around["seen"]): string {
  const node = pods.find(({ name }) => name === pod)?.node;
  const driver = nodes.find(({ name }) => name === node)?.driver;
  const where = node === undefined ? "" : ` on node ${node}${driver === undefined ? "" : ` (${driver})`}`;
  const line = lastWords.slice(Math.max(0, at - 60), at + 140).trim();
  return `${message}${where}: ${line.toWellFormed()}`;
}

const withLastWords = ({ message, lastWords }: Trouble): string =>
  lastWords === undefined ? message : `${message}. Its last words: ${lastWords}`;
