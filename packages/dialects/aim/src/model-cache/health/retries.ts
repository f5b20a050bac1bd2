import type { Instant } from "@trivium/std";
import { annotations } from "../../labels.ts";
import type { ModelCache } from "../names/names.ts";
import type { ObservedJob } from "../observe.ts";
import { downloadContext } from "../weights/claim-space.ts";
import type { CachePass } from "./cache-pass.ts";
import type { CacheState } from "./cache-state.ts";
import { classifyFailure, type DownloadFault, wasAskedToStop } from "./classify.ts";

const noTries = [
  "CacheQuotaExceeded",
  "RuntimeConfigMissing",
  "PVCLost",
  "PVCTooSmall",
  "SourceNotAllowed",
  "ApplyFailed",
];

/** Given up by itself; a budget or a config that was missing are no tries. */
export function wasGivenUp(cache: ModelCache): boolean {
  const reason = conditionOf(cache, "DownloadComplete")?.reason ?? "";
  const isNoTry = noTries.includes(reason);
  return cache.status?.status === "Failed" && !isNoTry;
}

export const conditionOf = ({ status }: ModelCache, wanted: string) =>
  status?.conditions?.find(({ type }) => type === wanted);

/** What a person has to correct: the source, its credentials, or the digest. */
const permanent: readonly DownloadFault["reason"][] = ["SourceNotFound", "AuthError", "VerificationFailed"];

const triesInARow = 5;
const firstWait = 60_000;
/** Whoever stopped it may not be done yet. */
const afterStop = 5_000;

export interface FailedAttempt {
  readonly attempt: number;
  readonly endedAt: Instant | undefined;
  readonly job?: ObservedJob;
}

/** Tries again after a while, five times; a changed spec or the annotation start over, and so does a machine that went down meanwhile. */
export function retried(pass: CachePass, { attempt, endedAt, job }: FailedAttempt): CacheState {
  const { cache, now, bytes, allowed } = pass;
  // Pods can be deleted before their Job: what they left was read then, and stays the cause.
  const isGone = job === undefined || job.pods.length === 0;
  const fault = isGone ? faultBefore(cache) : classifyFailure(job.pods, downloadContext(pass));
  const is = bytes === undefined ? "measuring" : "fetching";
  const isChanged =
    cache.status?.observedGeneration !== undefined && cache.status.observedGeneration !== cache.metadata.generation;
  if (isChanged) return { is, ...newRow(attempt) };
  if (job !== undefined && wasAskedToStop(job.pods)) {
    const rest = (endedAt ?? 0) + afterStop - now;
    return rest <= 0 ? { is, ...newRow(attempt) } : { is: "backoff", attempt, fault, wait: rest };
  }
  if (attempt >= allowed) return { is: "stuck", attempt, fault };
  // Trying again corrects no mistake in the spec. It is tried once more when the Job expires, in case the source was corrected.
  if (job !== undefined && permanent.includes(fault.reason)) return { is: "stuck", attempt, fault };
  const next: CacheState = { is, attempt: attempt + 1 };
  if (endedAt === undefined) return next;
  const wait = endedAt + firstWait * 2 ** ((attempt - 1) % triesInARow) - now;
  return wait <= 0 ? next : { is: "backoff", attempt, fault, wait };
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

/** Something else is tried than before, as often as anything is. */
export const newRow = (attempt: number) => ({ attempt: attempt + 1, allowed: attempt + triesInARow });

/** `aim.silogen.ai/retry: "1"` allows five more than usual, `"2"` ten more; what was once allowed stays so. */
export function triesAllowed({ metadata, status }: ModelCache): number {
  const text = metadata.annotations?.[annotations.retry];
  const before = status?.download?.totalAttempts ?? triesInARow;
  if (text === undefined) return before;
  const more = /^\d{1,3}$/.test(text) ? Number(text) : 1;
  return Math.max(before, triesInARow * (1 + more));
}
