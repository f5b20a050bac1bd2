import type { Failure, ObservedPod } from "@trivium/domain";
import {
  classifyImage,
  classifyTransfer,
  describeUnschedulable,
  diagnose,
  findFailure,
  formatDiagnosis,
  lastErrorReason,
  lastLogLine,
  type TransferFault,
} from "@trivium/engines";
import { cachePaths } from "../../field-paths.ts";
import { imageReasons } from "../../image-reasons.ts";
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

/** What was stopped from outside needs no fix. */
const remedies: Readonly<Partial<Record<TransferFault, string>>> = {
  missing: "correct spec.sourceUri",
  unauthorized: "set a token with read access in spec.env, from a Secret",
  corrupt: "correct the source, or delete the PersistentVolumeClaim to download it again",
  full: "raise spec.size, or the headroom in the runtime config",
  unreachable: "check that the nodes can reach the source",
  untrusted: "make its certificate authority available to the pods",
  failed: "check the log of the Job with kubectl logs",
};

/** Why a download failed, from what its pods left behind: one reason and what to do. */
export function classifyFailure(pods: readonly ObservedPod[], claim = "the PersistentVolumeClaim"): DownloadFault {
  const ends = pods.flatMap((pod) =>
    pod.containers.flatMap(({ state }) => (state.is === "ended" && state.exitCode !== 0 ? [{ pod, end: state }] : [])),
  );
  const last = ends.at(-1);
  if (last === undefined) {
    const lost = pods.find(({ failure }) => failure !== undefined)?.failure;
    return { reason: "DownloadFailed", message: lost ?? "The download failed without a message" };
  }
  if (last.end.reason === "OOMKilled") return outOfMemory(last);
  const words = lastLogLine(last.end.message) || `The download exited with code ${last.end.exitCode}`;
  const fault = classifyTransfer(last.end.exitCode, words);
  const full = fault === "full" ? ` (${claim} is full)` : "";
  const remedy = remedies[fault] === undefined ? "" : `; ${remedies[fault]}`;
  return { reason: transferReasons[fault], message: `${words.replace(/[.\s]+$/, "")}${full}${remedy}` };
}

function outOfMemory({ pod }: { readonly pod: ObservedPod }): DownloadFault {
  const failure = findFailure([pod]);
  const message =
    failure === undefined
      ? "The download ran out of memory; free memory on the node"
      : formatDiagnosis(diagnose(failure, { paths: {} }));
  return { reason: "PodOOMKilled", message };
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
  claim?: string,
): DownloadFault | undefined {
  const isRunning = pods.some(({ containers }) => containers.some(({ state }) => state.is === "running"));
  if (isRunning) return undefined;
  const failed = pods.filter(({ phase }) => phase === "Failed");
  return classifyWaiting(pods) ?? (failed.length === 0 ? warned(warning) : classifyFailure(failed, claim));
}

/** Words of the node about a pod that has no containers yet. */
const nodeReasons = ["FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedScheduling"] as const;

function warned(warning: ObservedJob["warning"]): DownloadFault | undefined {
  if (warning?.tolerated.is !== "known") return undefined;
  const { reason: reported, message } = warning.tolerated.value;
  if (reported === "FailedCreate") {
    const failure: Failure = { kind: "refused", pod: "", message };
    // A pod is not made smaller by a smaller cache.
    const { resources: _, ...paths } = cachePaths;
    return { reason: "ApplyFailed", message: formatDiagnosis(diagnose(failure, { paths })) };
  }
  const reason = nodeReasons.find((one) => one === reported);
  if (reason === undefined) return undefined;
  return { reason, message: reason === "FailedScheduling" ? describeUnschedulable(message) : message.slice(0, 500) };
}

/** What keeps a download from starting. */
export function classifyWaiting(pods: readonly ObservedPod[]): DownloadFault | undefined {
  const failure = findFailure(pods);
  const reason = failure === undefined ? undefined : waitingReason(failure);
  if (failure === undefined || reason === undefined) return undefined;
  return { reason, message: formatDiagnosis(diagnose(failure, { paths: cachePaths })) };
}

function waitingReason({ kind, message }: Failure): DownloadReason | undefined {
  switch (kind) {
    case "unschedulable":
    case "volume":
      return "FailedScheduling";
    case "configuration":
      return "CreateContainerConfigError";
    case "image":
      return imageReasons[classifyImage(message)];
    default:
      return undefined;
  }
}
