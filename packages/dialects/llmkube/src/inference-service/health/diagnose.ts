import type { Failure, HealthReport } from "@trivium/domain";
import { classifyTransfer, diagnose as diagnoseFailure, formatDiagnosis, type TransferFault } from "@trivium/engines";
import { servicePaths } from "../../field-paths.ts";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import { faultOfFile } from "../../model/weights/file-facts.ts";
import type { ServiceReason } from "../../reasons.ts";
import { parseSource } from "../../weights/source.ts";
import type { ObservedService } from "../observe.ts";

/** The cause in this dialect's words. */
export interface Diagnosis {
  readonly reason: ServiceReason;
  readonly message: string;
  /** It may pass without anybody: it is said, and nothing is degraded by it. */
  readonly isPassing?: true;
}

const staleDriver = [
  "driver on your system is too old",
  "cuda driver version is insufficient",
  "cudaerrorinsufficientdriver",
  "cuda_error_insufficient_driver",
];

const transferReasons: Readonly<Record<TransferFault, ServiceReason>> = {
  missing: "ModelSourceNotFound",
  unauthorized: "ModelSourceUnauthorized",
  corrupt: "IntegrityCheckFailed",
  full: "ModelTransferOutOfSpace",
  unreachable: "ModelSourceUnreachable",
  untrusted: "ModelSourceUntrusted",
  stopped: "ModelTransferFailed",
  failed: "ModelTransferFailed",
};

/** What a person can do about causes that only this dialect tells apart. */
const remedies: Partial<Record<ServiceReason, string>> = {
  ModelSourceNotFound: "correct spec.source of the Model",
  ModelSourceUnauthorized: "add HF_TOKEN to spec.env, from a Secret with a token that can read it",
  ModelSourceUntrusted: "add its certificate authority to the pods",
  ModelSourceUnreachable: "check that the nodes can reach it; retrying automatically",
  IntegrityCheckFailed: "correct spec.sha256 of the Model, or its source",
  ModelTransferFailed: "check the log with kubectl logs",
  CUDADriverInsufficient: "update the driver of the node, or set spec.image to a build for an older driver",
  InvalidModelFile: "provide a valid file, or change spec.source of the Model",
  UnsupportedModel: "set spec.image to a newer build of the engine, or use another model",
};

/** What the cause may lie in besides the pods. */
export interface Context {
  readonly gpu: GpuPlan;
  readonly observed: Pick<ObservedService, "pods" | "nodes" | "lacksGpu" | "header" | "model" | "claim">;
}

/** Names the one cause and the way out; nothing while pods only need time. */
export function diagnose({ failure }: HealthReport, context: Context): Diagnosis | undefined {
  if (failure === undefined) return undefined;
  const own = ofOwn(failure, context.observed);
  if (own !== undefined) {
    const remedy =
      own.reason === "ModelTransferOutOfSpace" ? moreSpace(context.observed) : remedyOf(own.reason, context.observed);
    return { ...own, message: `${own.message.replace(/[.\s]+$/, "")}${remedy === undefined ? "" : `; ${remedy}`}` };
  }
  const found = diagnoseFailure(failure, { paths: pathsFor(context.observed), nowhere: missingGpu(context) });
  const isPassing = failure.isPassing === true ? { isPassing: true as const } : {};
  return { reason: reasonOf(failure, context.gpu), message: formatDiagnosis(found), ...isPassing };
}

/** A hub does not tell a private repository from none. */
function remedyOf(reason: ServiceReason, { model }: Context["observed"]): string | undefined {
  const source = model.is === "known" ? parseSource(model.value.spec.source) : undefined;
  const isHub = source?.is === "repository" || (source?.is === "remote" && source.uri !== source.url);
  return reason === "ModelSourceNotFound" && isHub
    ? "correct spec.source or spec.files of the Model; for a private repository, add HF_TOKEN from a Secret to spec.env"
    : remedies[reason];
}

/** The claim that is full, where the weights go to one. */
function moreSpace({ claim }: Context["observed"]): string {
  const { name, size } = claim?.is === "known" ? claim.value : {};
  if (name === undefined) return "free space on the node, or set a model cache in spec.modelCache";
  const has = size === undefined ? "" : ` of ${size}`;
  return `free space on PersistentVolumeClaim ${name}${has}, expand it, or set a larger claim in spec.modelCache.claimName`;
}

/** A limit is the budget of the Model; a request above it would be refused. */
const pathsFor = ({ model }: Context["observed"]): typeof servicePaths =>
  model.is === "known" && model.value.spec.hardware?.memoryBudget
    ? { ...servicePaths, memory: "hardware.memoryBudget of the Model, or lower spec.contextSize" }
    : servicePaths;

/** What only this dialect tells apart: downloads by its own program, and what engines say of drivers and files. */
function ofOwn(failure: Failure, observed: Context["observed"]): Diagnosis | undefined {
  if (failure.kind !== "crash") return undefined;
  return failure.role === "prepares" ? ofTransfer(failure) : ofCrash(failure, observed);
}

function reasonOf(failure: Failure, gpu: GpuPlan): ServiceReason {
  switch (failure.kind) {
    case "unschedulable":
      return isForGpu(failure, gpu) ? "InsufficientGPU" : "NoNodeFits";
    case "volume":
      return "VolumeUnavailable";
    case "image":
      return "ImageUnavailable";
    case "configuration":
    case "refused":
      return "PodRefused";
    case "evicted":
      return "Evicted";
    case "memory":
      return "OutOfMemory";
    case "unhealthy":
      return "ProbeFailed";
    case "crash":
      return "EngineCrashed";
  }
}

type GpuResource = Extract<GpuPlan, { is: "resource" }>;

/** Where no node has such a GPU, freeing some is no way out. */
const missingGpu = ({ gpu, observed }: Context): string | undefined =>
  observed.lacksGpu === true && gpu.is === "resource" ? gpu.resource : undefined;

const isForGpu = ({ lacking = [] }: Failure, gpu: GpuPlan): gpu is GpuResource =>
  gpu.is === "resource" && lacking.includes(gpu.resource);

function ofTransfer(failure: Failure): Diagnosis {
  const { lastLogLine = "", exitCode, container } = failure;
  const reason = transferReasons[classifyTransfer(exitCode, lastLogLine)];
  const message = `Container ${container} exited with code ${exitCode}`;
  return { reason, message: lastLogLine === "" ? message : `${message}: ${lastLogLine}` };
}

function ofCrash(failure: Failure, observed: Context["observed"]): Diagnosis | undefined {
  const words = failure.lastLogLine ?? "";
  const driver = staleDriver.map((one) => words.toLowerCase().indexOf(one)).find((at) => at !== -1);
  if (driver !== undefined) return { reason: "CUDADriverInsufficient", message: ofDriver(failure, driver, observed) };
  const broken = faultOfFile(observed);
  if (broken !== undefined)
    return { reason: "InvalidModelFile", message: `The engine cannot read the file: ${broken}` };
  const missing = missingOnClaim(words, observed);
  if (missing !== undefined) return { reason: "InvalidModelFile", message: missing };
  if (!unknownModel.test(words)) return undefined;
  const message = `Container ${failure.container} of Pod ${failure.pod} cannot load the model. Last log line: ${words}`;
  return { reason: "UnsupportedModel", message };
}

/** What engines say of models that they are too old for. */
const unknownModel = /unknown model architecture|unsupported model architecture|are not supported for now/i;

/** Engines name the path at which a claim is mounted, which tells nobody where to look. */
function missingOnClaim(words: string, { model }: Context["observed"]): string | undefined {
  const source = model.is === "known" ? parseSource(model.value.spec.source) : undefined;
  if (source?.is !== "claim" || !words.includes(`/${source.path}`) || !noSuchFile.test(words)) return undefined;
  return `PersistentVolumeClaim ${source.claim} has no file ${source.path}`;
}

const noSuchFile = /no such file|does not exist|ENOENT/i;

/** The words around the complaint, and what the node says of its driver. */
function ofDriver(
  { pod, container, exitCode, lastLogLine = "" }: Failure,
  at: number,
  { pods, nodes }: Context["observed"],
): string {
  const node = pods.find(({ name }) => name === pod)?.node;
  const driver = nodes.find(({ name }) => name === node)?.driver;
  const where = node === undefined ? "" : ` on node ${node}${driver === undefined ? "" : ` (${driver})`}`;
  const line = lastLogLine.slice(Math.max(0, at - 60), at + 140).trim();
  return `Container ${container} exited with code ${exitCode}${where}: ${line.toWellFormed()}`;
}
