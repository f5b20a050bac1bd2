import type { Instant } from "@trivium/std";
import { annotations } from "../labels.ts";
import type { AimOptions } from "../options.ts";
import type { Settings } from "../runtime-config/merge-settings.ts";
import { bytesOf } from "../storage/claim-size.ts";
import { classifyFailure, classifyRunning } from "./classify.ts";
import { readListing } from "./log.ts";
import { attemptOf, claimNameOf, type ModelCache } from "./names.ts";
import type { JobSeen, ModelCacheSeen } from "./observe.ts";
import type { CacheState } from "./raise.ts";

export interface Pass {
  readonly cache: ModelCache;
  readonly seen: ModelCacheSeen;
  readonly settings: Settings;
  readonly options: AimOptions;
  readonly now: Instant;
}

/** How far the weights are. */
export function judge(pass: Pass): CacheState {
  const { cache, seen } = pass;
  const attempt = attemptOf(cache);
  if (seen.claim.is === "known" && seen.claim.value.phase === "Lost") {
    const message = `The volume of claim ${claimNameOf(cache)} is gone; delete the claim, and it is fetched anew`;
    return { is: "stuck", attempt, fault: { reason: "PVCLost", message } };
  }
  const wasFull = cache.status?.status === "Available";
  const bytes = sizeOf(pass);
  if (wasFull && seen.claim.is === "known") return { is: "full", attempt, bytes };
  if (bytes === undefined) return measureState(pass, attempt);
  if (seen.claim.is === "absent") {
    // A Job that filled a claim which is gone says nothing of a new one.
    const isStale = wasFull && seen.download.is === "known";
    return { is: "claiming", attempt: isStale ? attempt + 1 : attempt, bytes };
  }
  const { phase, waitsForPod } =
    seen.claim.is === "known" ? seen.claim.value : { phase: "Pending", waitsForPod: false };
  if (seen.download.is === "absent") {
    if (wasGivenUp(cache)) return retried(pass, { attempt, bytes, endedAt: undefined });
    if (phase !== "Bound" && !waitsForPod) return { is: "claiming", attempt, bytes };
    return { is: "fetching", attempt, bytes };
  }
  const job = seen.download.is === "known" ? seen.download.value : undefined;
  if (job?.state === "succeeded") return { is: "full", attempt, bytes };
  if (job?.state === "failed") return retried(pass, { attempt, bytes, endedAt: job.endedAt, job });
  const fault = job === undefined ? undefined : classifyRunning(job.pods);
  return { is: "fetching", attempt, bytes, ...(fault === undefined ? {} : { fault }) };
}

const wasGivenUp = ({ status }: ModelCache): boolean => status?.status === "Failed";

function sizeOf({ cache, seen }: Pass): bigint | undefined {
  const said = bytesOf(cache.spec.size);
  if (said !== undefined) return said;
  const found =
    cache.status?.discoveredSizeBytes ?? (seen.measured?.is === "known" ? readListing(seen.measured.value) : undefined);
  return found === undefined ? undefined : BigInt(found);
}

function measureState(pass: Pass, attempt: number): CacheState {
  const { cache, seen } = pass;
  const { measure } = seen;
  if (measure?.is !== "known")
    return wasGivenUp(cache)
      ? retried(pass, { attempt, bytes: undefined, endedAt: undefined })
      : { is: "measuring", attempt };
  if (measure.value.state === "failed")
    return retried(pass, { attempt, bytes: undefined, endedAt: measure.value.endedAt, job: measure.value });
  if (measure.value.state === "succeeded") {
    const message = `The source does not say how large ${cache.spec.sourceUri} is; set spec.size`;
    return { is: "stuck", attempt, fault: { reason: "DownloadFailed", message } };
  }
  const fault = classifyRunning(measure.value.pods);
  return { is: "measuring", attempt, ...(fault === undefined ? {} : { fault }) };
}

const triesInARow = 5;
const firstWait = 60_000;

interface Failed {
  readonly attempt: number;
  readonly bytes: bigint | undefined;
  readonly endedAt: Instant | undefined;
  readonly job?: JobSeen;
}

/** Tries again after a while, five times; a changed spec or the annotation start over. */
function retried({ cache, now }: Pass, { attempt, bytes, endedAt, job }: Failed): CacheState {
  const said = cache.status?.conditions?.find(({ type, status }) => type === "DownloadComplete" && status === "False");
  const before = {
    reason: (said?.reason ?? "DownloadFailed") as never,
    message: said?.message ?? "The download failed",
  };
  const fault = job === undefined ? before : classifyFailure(job.pods);
  const next: CacheState =
    bytes === undefined ? { is: "measuring", attempt: attempt + 1 } : { is: "fetching", attempt: attempt + 1, bytes };
  const isChanged =
    cache.status?.observedGeneration !== undefined && cache.status.observedGeneration !== cache.metadata.generation;
  if (isChanged) return next;
  if (attempt >= triesAllowed(cache)) return { is: "stuck", attempt, fault };
  if (endedAt === undefined) return next;
  const wait = endedAt + firstWait * 2 ** ((attempt - 1) % triesInARow) - now;
  return wait <= 0 ? next : { is: "backoff", attempt, fault, wait };
}

/** `aim.silogen.ai/retry: "1"` allows five more, `"2"` ten more. */
function triesAllowed({ metadata }: ModelCache): number {
  const text = metadata.annotations?.[annotations.retry];
  if (text === undefined) return triesInARow;
  const more = /^\d{1,3}$/.test(text) ? Number(text) : 1;
  return triesInARow * (1 + more);
}
