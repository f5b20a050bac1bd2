import type { AttemptReport, TaskReport } from "@trivium/domain";
import { attemptsInARow } from "@trivium/engines";
import { annotations } from "../../labels.ts";
import type { ModelCache } from "../names/names.ts";
import type { ObservedJob } from "../observe.ts";
import { downloadContext } from "../weights/claim-space.ts";
import { isLocal } from "../weights/local-source.ts";
import type { CachePass } from "./cache-pass.ts";
import { classifyFailure, type DownloadFault, wasAskedToStop } from "./classify.ts";

const noAttempts = [
  "CacheQuotaExceeded",
  "RuntimeConfigMissing",
  "PVCLost",
  "PVCTooSmall",
  "SourceNotAllowed",
  "ApplyFailed",
];

/** Attempts were made and all failed; a budget or a config that was missing is not an attempt. */
export function wasGivenUp(cache: ModelCache): boolean {
  const reason = conditionOf(cache, "DownloadComplete")?.reason ?? "";
  return cache.status?.status === "Failed" && !noAttempts.includes(reason);
}

export const conditionOf = ({ status }: ModelCache, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

/** What a person has to correct: the source, its credentials, or the digest. */
const permanent: readonly DownloadFault["reason"][] = ["SourceNotFound", "AuthError", "VerificationFailed"];

type FailedTask = Omit<TaskReport<DownloadFault["reason"]>, "by" | "progress">;

/** A file that is to be on the node already: nothing tells when a person has put it there. */
const isAwaited = ({ spec }: ModelCache, { reason }: DownloadFault): boolean =>
  reason === "SourceNotFound" && isLocal(spec);

/** What was missing when a file was looked for last, and still is as far as anything is known. */
export function awaitedFault(cache: ModelCache): DownloadFault | undefined {
  const { status, metadata } = cache;
  if (status?.status !== "Failed" || status.observedGeneration !== metadata.generation) return undefined;
  const fault = faultBefore(cache);
  return isAwaited(cache, fault) ? fault : undefined;
}

/** A Job that failed. Without its pods, what they left was read before and stays the cause. */
export function failedJob(pass: CachePass, job: ObservedJob): FailedTask {
  const { pods, endedAt } = job;
  const fault = pods.length === 0 ? faultBefore(pass.cache) : classifyFailure(pods, downloadContext(pass));
  const waits = isAwaited(pass.cache, fault);
  const isFinal = permanent.includes(fault.reason) && !waits;
  return { state: "failed", fault, isFinal, isAwaited: waits, isStopped: wasAskedToStop(pods), endedAt };
}

/** A Job that failed and expired: one more attempt follows, in case the source was corrected. */
export function expiredJob({ cache }: CachePass): FailedTask {
  const fault = faultBefore(cache);
  return { state: "failed", fault, isAwaited: isAwaited(cache, fault) };
}

/** Reasons of a download that is under way or waits for its next attempt: they are not why one failed. */
const underWay = ["Downloading", "MeasuringSize", "WaitingForPVC", "RetryBackoff"];

function faultBefore(cache: ModelCache): DownloadFault {
  const { status, reason = "", message } = conditionOf(cache, "DownloadComplete") ?? {};
  if (status !== "False" || underWay.includes(reason))
    return {
      reason: "DownloadFailed",
      message: "The download failed, and its pod was deleted before its log was read",
    };
  return { reason: reason as DownloadFault["reason"], message: message ?? "The download failed" };
}

/** Why the attempt before failed, as long as the next one has nothing to show: otherwise the cause would vanish at each attempt. */
export function retriedFault({ cache, attempt, progress }: CachePass): DownloadFault | undefined {
  const { status, metadata } = cache;
  const isSame = status?.observedGeneration === metadata.generation && status?.status === "Progressing";
  const { status: isComplete, reason = "", message = "" } = conditionOf(cache, "DownloadComplete") ?? {};
  if (!isSame || attempt === 1 || progress !== undefined || isComplete !== "False") return undefined;
  const fault = retried.find((each) => each === reason);
  return fault === undefined ? undefined : { reason: fault, message };
}

/** What ends an attempt and is tried again; what keeps the pod of an attempt from starting is seen on the pod. */
const retried = [
  "SourceUnreachable",
  "DownloadFailed",
  "StorageFull",
  "PodOOMKilled",
] as const satisfies readonly DownloadFault["reason"][];

/** Attempts are counted over. A Job that filled a claim which is deleted says nothing of a new one. */
export function attemptsOf({ cache, observed, attempt, allowed, bytes, now }: CachePass): AttemptReport {
  const { observedGeneration, persistentVolumeClaim } = cache.status ?? {};
  const isStale = persistentVolumeClaim !== undefined && observed.download.is === "known";
  const isUnclaimed = bytes !== undefined && observed.claim.is !== "known";
  return {
    attempt: isUnclaimed && isStale ? attempt + 1 : attempt,
    allowed,
    isChanged: observedGeneration !== undefined && observedGeneration !== cache.metadata.generation,
    now,
  };
}

/** `aim.silogen.ai/retry: "1"` allows five more than usual, `"2"` ten more; what was once allowed stays so. */
export function attemptsAllowed({ metadata, status }: ModelCache): number {
  const text = metadata.annotations?.[annotations.retry];
  const before = status?.download?.totalAttempts ?? attemptsInARow;
  if (text === undefined) return before;
  const more = /^\d{1,3}$/.test(text) ? Number(text) : 1;
  return Math.max(before, attemptsInARow * (1 + more));
}
