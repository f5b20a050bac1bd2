import type { Failure, FailureKind, FieldPaths, HealthReport } from "@trivium/domain";
import {
  classifyCrash,
  type DiagnosisContext,
  diagnose as diagnoseFailure,
  formatDiagnosis,
  servingAnnotations,
  type TransferFault,
} from "@trivium/engines";
import { bucketTokens, servicePaths } from "../../field-paths.ts";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import type { ServiceReason } from "../../reasons.ts";
import { sourceOf } from "../../weights/source.ts";
import { isAdapterContainer } from "../adapters/place-adapters.ts";
import type { ObservedService } from "../observe.ts";
import { fileFault } from "./file-fault.ts";

/** The cause with this dialect's reason. */
export interface Diagnosis {
  readonly reason: ServiceReason;
  readonly message: string;
  /** It may pass without anybody: it is reported, and nothing is degraded by it. */
  readonly isPassing?: true;
}

/** What the cause may lie in besides the pods. */
export interface Context {
  readonly gpu: GpuPlan;
  readonly observed: Pick<ObservedService, "pods" | "nodes" | "header" | "model" | "claim">;
}

/** Names the one cause and its remedy; nothing while pods only need time. */
export function diagnose({ failure }: HealthReport, context: Context): Diagnosis | undefined {
  if (failure === undefined) return undefined;
  const broken = fileFault(failure, context.observed);
  if (broken !== undefined) return { reason: "InvalidModelFile", message: formatDiagnosis(broken) };
  const message = formatDiagnosis(diagnoseFailure(failure, contextFor(failure, context.observed)));
  return { reason: reasonOf(failure, context.gpu), message, ...(mayPass(failure) ? { isPassing: true } : {}) };
}

/** A restart changes neither the driver of a node nor what an engine supports. */
const mayPass = (failure: Failure): boolean =>
  failure.isPassing === true && (failure.kind !== "crash" || classifyCrash(failure).is === "other");

function contextFor(failure: Failure, observed: Context["observed"]): DiagnosisContext {
  const { model, claim, pods, nodes } = observed;
  const source = model.is === "known" ? sourceOf(model.value.spec) : undefined;
  const node = pods.find(({ name }) => name === failure.pod)?.node;
  const driver = nodes.find(({ name }) => name === node)?.driver;
  return {
    paths: pathsFor(failure, observed),
    // A hub does not tell a private repository from none.
    isHub: source?.is === "repository" || (source?.is === "remote" && source.uri !== source.url),
    claim: claim?.is === "known" ? claim.value : undefined,
    node: node === undefined ? undefined : { name: node, driver },
  };
}

/** What prepares has no arguments of the user. A memory limit is the budget of the Model; a request above it would be refused. */
function pathsFor({ role, container }: Failure, { model }: Context["observed"]): FieldPaths {
  const { arguments: _, ...ofPreparation } = servicePaths;
  if (isAdapterContainer(container)) return { ...ofPreparation, source: `annotation ${servingAnnotations.adapters}` };
  const paths = role === "prepares" ? ofPreparation : servicePaths;
  if (model.is !== "known") return paths;
  const { spec } = model.value;
  return {
    ...paths,
    ...(sourceOf(spec).is === "bucket" ? { token: bucketTokens.service } : {}),
    ...(spec.hardware?.memoryBudget ? { memory: "hardware.memoryBudget of the Model, or lower spec.contextSize" } : {}),
  };
}

const reasons: Readonly<Record<Exclude<FailureKind, "unschedulable" | "crash">, ServiceReason>> = {
  volume: "VolumeUnavailable",
  image: "ImageUnavailable",
  configuration: "PodRefused",
  engine: "PodRefused",
  refused: "PodRefused",
  evicted: "Evicted",
  memory: "OutOfMemory",
  unhealthy: "ProbeFailed",
};

function reasonOf(failure: Failure, gpu: GpuPlan): ServiceReason {
  if (failure.kind === "crash") return reasonOfCrash(failure);
  if (failure.kind !== "unschedulable") return reasons[failure.kind];
  return gpu.is === "resource" && failure.lacking?.includes(gpu.resource) === true ? "InsufficientGPU" : "NoNodeFits";
}

const transferReasons: Readonly<Record<Exclude<TransferFault, "failed">, ServiceReason>> = {
  missing: "ModelSourceNotFound",
  unauthorized: "ModelSourceUnauthorized",
  corrupt: "IntegrityCheckFailed",
  full: "ModelTransferOutOfSpace",
  unreachable: "ModelSourceUnreachable",
  untrusted: "ModelSourceUntrusted",
  stopped: "ModelTransferFailed",
};

function reasonOfCrash(failure: Failure): ServiceReason {
  const crash = classifyCrash(failure);
  switch (crash.is) {
    case "transfer":
      return transferReasons[crash.fault];
    case "driver":
      return "CUDADriverInsufficient";
    case "unsupported model":
      return "UnsupportedModel";
    case "argument":
    case "other":
      return failure.role === "prepares" ? "ModelTransferFailed" : "EngineCrashed";
  }
}
