import type { Instant } from "@trivium/std";
import { annotations } from "../../labels.ts";
import type { AimOptions } from "../../options.ts";
import type { Settings } from "../../runtime-config/settings/merge-settings.ts";
import { bytesOf, claimSize, defaultHeadroom } from "../../storage/claim-size.ts";
import { attemptOf, claimNameOf, type ModelCache } from "../names/names.ts";
import type { ObservedJob, ObservedModelCache } from "../observe.ts";
import { claimInWords, claimSpaceFault, totalFault } from "../weights/claim-space.ts";
import { localSourceOf, refusalOf } from "../weights/local-source.ts";
import { readListing } from "../weights/log.ts";
import type { CacheState } from "./cache-state.ts";
import { classifyFailure, classifyRunning, type DownloadFault, wasAskedToStop } from "./classify.ts";

export interface Pass {
  readonly cache: ModelCache;
  readonly observed: ObservedModelCache;
  readonly settings: Settings;
  readonly options: AimOptions;
  readonly now: Instant;
}

/** How far the weights are. */
export function judge(pass: Pass): CacheState {
  const { cache, observed } = pass;
  const attempt = attemptOf(cache);
  const name = observed.claimName ?? claimNameOf(cache);
  const claim = observed.claim.is === "known" ? observed.claim.value : undefined;
  if (claim?.phase === "Lost") {
    const message = `The volume of PersistentVolumeClaim ${name} is lost; delete the claim to download the weights again`;
    return { is: "stuck", attempt, fault: { reason: "PVCLost", message } };
  }
  if (claim?.isLeaving) {
    const why = `PersistentVolumeClaim ${name} is being deleted but pods still use it; it is recreated automatically after they stop`;
    return { is: "claiming", attempt, why };
  }
  if (cache.status?.status === "Available" && claim !== undefined) return { is: "full", attempt };
  const local = localSourceOf(cache, pass.options);
  if (local !== undefined && local.root === undefined)
    return { is: "stuck", attempt, fault: { reason: "SourceNotAllowed", message: refusalOf(local, pass.options) } };
  const bytes = sizeOf(pass);
  if (bytes === undefined) return measureState(pass, attempt);
  if (claim === undefined) return claimState(pass, attempt);
  if (isTooSmall(pass, bytes)) {
    const why = `PersistentVolumeClaim ${name} was too small; replacing it with one of ${wantedClaim(pass, bytes)}`;
    return { is: "reclaiming", ...newRow(attempt), why };
  }
  const small = observed.download.is === "absent" ? claimSpaceFault(pass, Number(bytes)) : undefined;
  if (small !== undefined) return { is: "stuck", attempt, fault: small };
  return downloadState(pass, attempt);
}

/** A claim is made where its namespace has room for it. A Job that filled a claim which is gone says nothing of a new one. */
function claimState({ cache, observed, settings }: Pass, attempt: number): CacheState {
  const isStale = cache.status?.persistentVolumeClaim !== undefined && observed.download.is === "known";
  const next = isStale ? attempt + 1 : attempt;
  if (settings.maxCacheBytes === undefined) return { is: "claiming", attempt: next };
  const { [annotations.cacheSpace]: space, [annotations.cacheSpaceReason]: why = "" } =
    cache.metadata.annotations ?? {};
  if (space === "granted") return { is: "claiming", attempt: next };
  if (space === "refused") return { is: "stuck", attempt: next, fault: { reason: "CacheQuotaExceeded", message: why } };
  return { is: "queueing", attempt: next, why: why || "Checking the model cache budget of the namespace" };
}

/** What a pass knows of the size of the claim it wants. */
export function wantedClaim({ settings }: Pick<Pass, "settings">, bytes: bigint): string {
  return claimSize(bytes, settings.headroomPercent ?? defaultHeadroom);
}

/** Only where it was tried and did not fit: what was claimed stays as it was, whatever the settings say later. */
function isTooSmall(pass: Pass, bytes: bigint): boolean {
  const { cache, observed } = pass;
  const size = observed.claim.is === "known" ? bytesOf(observed.claim.value.size) : undefined;
  const wasFull = conditionOf(cache, "DownloadComplete")?.reason === "StorageFull";
  const isQuiet = observed.download.is !== "known" || observed.download.value.state === "failed";
  return wasFull && isQuiet && size !== undefined && size < (bytesOf(wantedClaim(pass, bytes)) ?? 0n);
}

function downloadState(pass: Pass, attempt: number): CacheState {
  const { cache, observed } = pass;
  const { phase, waitsForPod } =
    observed.claim.is === "known" ? observed.claim.value : { phase: "Pending", waitsForPod: false };
  const job = observed.download.is === "known" ? observed.download.value : undefined;
  if (job === undefined) {
    if (wasGivenUp(cache)) return retried(pass, { attempt, endedAt: undefined });
    const fault = claimFault(observed)?.message;
    const why = fault === undefined ? {} : { why: fault };
    return phase !== "Bound" && !waitsForPod ? { is: "claiming", attempt, ...why } : { is: "fetching", attempt };
  }
  if (job.state === "succeeded") return { is: "full", attempt };
  if (job.state === "failed") return retried(pass, { attempt, endedAt: job.endedAt, job });
  const fault = classifyRunning(job, claimInWords(pass)) ?? totalFault(pass);
  return { is: "fetching", attempt, ...(fault === undefined ? {} : { fault }) };
}

/** Why a claim gets no volume, where somebody says. */
export function claimFault({ classFault, claimWarning }: ObservedModelCache): ClaimFault | undefined {
  if (classFault !== undefined) return { reason: "StorageClassMissing", message: classFault };
  if (claimWarning?.is !== "known" || claimWarning.value.reason !== "ProvisioningFailed") return undefined;
  const { message } = claimWarning.value;
  const isFull = /capacity|no space|exhausted|insufficient|quota|not enough/i.test(message);
  return { reason: isFull ? "InsufficientCapacity" : "PVCProvisioning", message: message.slice(0, 500) };
}

interface ClaimFault {
  readonly reason: "StorageClassMissing" | "InsufficientCapacity" | "PVCProvisioning";
  readonly message: string;
}

const noTries = [
  "CacheQuotaExceeded",
  "RuntimeConfigMissing",
  "PVCLost",
  "PVCTooSmall",
  "SourceNotAllowed",
  "ApplyFailed",
];

/** Given up by itself; a budget or a config that was missing are no tries. */
function wasGivenUp(cache: ModelCache): boolean {
  const reason = conditionOf(cache, "DownloadComplete")?.reason ?? "";
  const isNoTry = noTries.includes(reason);
  return cache.status?.status === "Failed" && !isNoTry;
}

const conditionOf = ({ status }: ModelCache, wanted: string) => status?.conditions?.find(({ type }) => type === wanted);

/** How large the weights are: what the spec says, or what the source said. */
export function sizeOf({ cache, observed }: Pick<Pass, "cache" | "observed">): bigint | undefined {
  const reported = bytesOf(cache.spec.size);
  if (reported !== undefined) return reported;
  const found =
    cache.status?.discoveredSizeBytes ??
    (observed.measured?.is === "known" ? readListing(observed.measured.value) : undefined);
  return found === undefined ? undefined : BigInt(found);
}

function measureState(pass: Pass, attempt: number): CacheState {
  const { cache, observed } = pass;
  const { measure } = observed;
  if (measure?.is !== "known")
    return wasGivenUp(cache) ? retried(pass, { attempt, endedAt: undefined }) : { is: "measuring", attempt };
  if (measure.value.state === "failed")
    return retried(pass, { attempt, endedAt: measure.value.endedAt, job: measure.value });
  if (measure.value.state === "succeeded") {
    const message = `The source does not report the size of ${cache.spec.sourceUri}; set spec.size`;
    return { is: "stuck", attempt, fault: { reason: "DownloadFailed", message } };
  }
  const fault = classifyRunning(measure.value);
  return { is: "measuring", attempt, ...(fault === undefined ? {} : { fault }) };
}

/** What a person has to correct: the source, its credentials, or the digest. */
const permanent: readonly DownloadFault["reason"][] = ["SourceNotFound", "AuthError", "VerificationFailed"];

const triesInARow = 5;
const firstWait = 60_000;
/** Whoever stopped it may not be done yet. */
const afterStop = 5_000;

interface Failed {
  readonly attempt: number;
  readonly endedAt: Instant | undefined;
  readonly job?: ObservedJob;
}

/** Tries again after a while, five times; a changed spec or the annotation start over, and so does a machine that went down meanwhile. */
function retried(pass: Pass, { attempt, endedAt, job }: Failed): CacheState {
  const { cache, now } = pass;
  // Pods can be deleted before their Job: what they left was read then, and stays the cause.
  const isGone = job === undefined || job.pods.length === 0;
  const fault = isGone ? faultBefore(cache) : classifyFailure(job.pods, claimInWords(pass));
  const is = sizeOf(pass) === undefined ? "measuring" : "fetching";
  const isChanged =
    cache.status?.observedGeneration !== undefined && cache.status.observedGeneration !== cache.metadata.generation;
  if (isChanged) return { is, ...newRow(attempt) };
  if (job !== undefined && wasAskedToStop(job.pods)) {
    const rest = (endedAt ?? 0) + afterStop - now;
    return rest <= 0 ? { is, ...newRow(attempt) } : { is: "backoff", attempt, fault, wait: rest };
  }
  if (attempt >= triesAllowed(cache)) return { is: "stuck", attempt, fault };
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
const newRow = (attempt: number) => ({ attempt: attempt + 1, allowed: attempt + triesInARow });

/** `aim.silogen.ai/retry: "1"` allows five more than usual, `"2"` ten more; what was once allowed stays so. */
export function triesAllowed({ metadata, status }: ModelCache): number {
  const text = metadata.annotations?.[annotations.retry];
  const before = status?.download?.totalAttempts ?? triesInARow;
  if (text === undefined) return before;
  const more = /^\d{1,3}$/.test(text) ? Number(text) : 1;
  return Math.max(before, triesInARow * (1 + more));
}
