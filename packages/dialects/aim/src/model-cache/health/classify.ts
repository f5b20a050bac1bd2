import type { ContainerEnd, Failure, FailureKind, FieldPaths, ObservedPod } from "@trivium/domain";
import {
  classifyTransfer,
  diagnose,
  diagnoseMissingFile,
  diagnoseTransfer,
  findFailure,
  formatDiagnosis,
  lastErrorReason,
  lastLogLine,
  type TransferFault,
} from "@trivium/engines";
import { parseSourceUri } from "@trivium/std";
import { cachePaths, claimSizeField } from "../../field-paths.ts";
import { imageReasonOf } from "../../image-reasons.ts";
import type { DownloadReason } from "../../reasons/serving.ts";
import type { ObservedJob } from "../observe.ts";

export interface DownloadFault {
  readonly reason: DownloadReason;
  readonly message: string;
}

const transferReasons: Readonly<Record<TransferFault, DownloadReason>> = {
  missing: "SourceNotFound",
  unauthorized: "AuthError",
  corrupt: "VerificationFailed",
  full: "StorageFull",
  unreachable: "SourceUnreachable",
  untrusted: "SourceUnreachable",
  stopped: "DownloadFailed",
  failed: "DownloadFailed",
};

/** What a failed download is judged by, besides what its pods left behind. */
export interface DownloadContext {
  readonly sourceUri: string;
  /** Where people write the source, where that is not the spec of the cache. */
  readonly sourceField?: string | undefined;
  /** The claim that it fills; a Job that measures fills none. */
  readonly claim?: ClaimSize | undefined;
}

export interface ClaimSize {
  readonly name: string;
  readonly size?: string | undefined;
}

/** Why a download failed, from what its pods left behind: one reason and what to do. */
export function classifyFailure(pods: readonly ObservedPod[], context: DownloadContext): DownloadFault {
  const ends = pods.flatMap((pod) =>
    pod.containers.flatMap(({ state }) => (state.is === "ended" && state.exitCode !== 0 ? [{ pod, end: state }] : [])),
  );
  const last = ends.at(-1);
  const failure = findFailure(last === undefined ? pods : [last.pod]);
  if (failure?.kind === "memory" || failure?.kind === "evicted")
    return {
      reason: failure.kind === "memory" ? "PodOOMKilled" : "DownloadFailed",
      message: formatDiagnosis(diagnose(failure, { paths: {} })),
    };
  const cause = causeOf(last?.end);
  const fault = classifyTransfer(last?.end.exitCode, cause);
  return {
    reason: transferReasons[fault],
    message: describeTransfer(fault, cause, { ...context, node: last?.pod.node }),
  };
}

function causeOf(end: ContainerEnd | undefined): string {
  if (end === undefined) return "The download failed without a message";
  return (lastLogLine(end.message) || `The download exited with code ${end.exitCode}`).replace(/[.\s]+$/, "");
}

interface FailedOn extends DownloadContext {
  /** Where the pod ran. */
  readonly node: string | undefined;
}

function describeTransfer(fault: TransferFault, cause: string, context: FailedOn): string {
  const { sourceUri, claim, sourceField = "spec.sourceUri", node } = context;
  const written = { source: sourceField };
  const source = parseSourceUri(sourceUri);
  // The pod can have the file at another path than the one that was written.
  if (fault === "missing" && source.scheme === "file") {
    const where = node === undefined ? "the node" : `node ${node}`;
    return formatDiagnosis(diagnoseMissingFile({ path: source.path, where, field: sourceField }));
  }
  const diagnosis = diagnoseTransfer(
    fault,
    { subject: sourceUri, cause },
    {
      paths: { ...cachePaths, ...written, storage: claimSizeField },
      isHub: source.scheme === "hub",
      claim,
      countsAttempts: true,
    },
  );
  return formatDiagnosis(diagnosis);
}

const stoppedCode = 130;

/** Stopped from outside: the node went down, or the pod was deleted. The download did not fail. */
export function wasAskedToStop(pods: readonly ObservedPod[]): boolean {
  const ends = pods.flatMap(({ containers }) =>
    containers.flatMap(({ state }) => (state.is === "ended" ? [state] : [])),
  );
  return (
    ends.length > 0 &&
    ends.every(({ exitCode, message }) => exitCode === stoppedCode && lastErrorReason(message) === "Stopped")
  );
}

/** What is wrong with a download that is not over; nothing while it only needs time. */
export function classifyRunning(
  { pods, warning }: Pick<ObservedJob, "pods" | "warning">,
  context: DownloadContext,
): DownloadFault | undefined {
  const isRunning = pods.some(({ containers }) => containers.some(({ state }) => state.is === "running"));
  if (isRunning) return undefined;
  const failed = pods.filter(({ phase }) => phase === "Failed");
  return (
    classifyWaiting(pods) ?? (failed.length === 0 ? classifyWarning(pods, warning) : classifyFailure(failed, context))
  );
}

/** Warnings about a pod that has no containers yet, with the failure that each stands for. */
const warnings = [
  ["FailedMount", "volume"],
  ["FailedAttachVolume", "volume"],
  ["FailedCreatePodSandBox", "configuration"],
  ["FailedScheduling", "unschedulable"],
] as const satisfies readonly (readonly [DownloadReason, FailureKind])[];

function classifyWarning([pod]: readonly ObservedPod[], warning: ObservedJob["warning"]): DownloadFault | undefined {
  if (warning?.tolerated.is !== "known") return undefined;
  const { reason: reported, message } = warning.tolerated.value;
  if (reported === "FailedCreate") {
    // A pod is not made smaller by a smaller cache.
    const { resources: _, ...paths } = cachePaths;
    return { reason: "ApplyFailed", message: describe({ kind: "refused", pod: "", message }, paths) };
  }
  const found = warnings.find(([reason]) => reason === reported);
  if (found === undefined) return undefined;
  const [reason, kind] = found;
  return { reason, message: describe({ kind, pod: pod?.name ?? "", message }, cachePaths) };
}

const describe = (failure: Failure, paths: FieldPaths): string => formatDiagnosis(diagnose(failure, { paths }));

/** What keeps a download from starting. */
export function classifyWaiting(pods: readonly ObservedPod[]): DownloadFault | undefined {
  const failure = findFailure(pods);
  const reason = failure === undefined ? undefined : waitingReason(failure);
  return failure === undefined || reason === undefined ? undefined : { reason, message: describe(failure, cachePaths) };
}

function waitingReason(failure: Failure): DownloadReason | undefined {
  switch (failure.kind) {
    case "unschedulable":
    case "volume":
      return "FailedScheduling";
    case "configuration":
      return "CreateContainerConfigError";
    case "image":
      return imageReasonOf(failure);
    default:
      return undefined;
  }
}
