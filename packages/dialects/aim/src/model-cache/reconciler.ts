import { emitClaim, emitJob } from "@trivium/emitters";
import { Job, PersistentVolumeClaim } from "@trivium/kube";
import type { Decision, Desired, Note, Reconciler } from "@trivium/reconcile";
import type { Fact, Instant } from "@trivium/std";
import { AIMModelCache } from "../kinds/model-cache.ts";
import { annotations } from "../labels.ts";
import type { AimOptions } from "../options.ts";
import type { Settings } from "../runtime-config/merge-settings.ts";
import { resolveRuntimeConfig } from "../runtime-config/resolve.ts";
import { bytesOf, claimSize, usualHeadroom } from "../storage/claim-size.ts";
import { classifyFailure, classifyWaiting } from "./classify.ts";
import { labelsOf, planDownload, planMeasure } from "./jobs.ts";
import { readListing } from "./log.ts";
import {
  attemptOf,
  claimNameOf,
  downloadNameOf,
  type ModelCache,
  type ModelCacheStatus,
  measureNameOf,
} from "./names.ts";
import { type JobSeen, type ModelCacheSeen, modelCacheReads, observeModelCache } from "./observe.ts";
import { type CacheState, raiseModelCache } from "./raise.ts";

export function modelCacheReconciler(
  options: AimOptions,
): Reconciler<ModelCache, ModelCacheSeen, (typeof modelCacheReads)[number]> {
  return {
    name: "aim.model-cache",
    kind: AIMModelCache,
    reads: modelCacheReads,
    writes: [PersistentVolumeClaim, Job],
    observe: observeModelCache,
    decide(cache, seen, now): Decision<ModelCacheStatus> {
      const config = resolveRuntimeConfig(seen.config);
      const facts = [seen.claim, seen.download, ...[seen.measure, seen.measured].flatMap((fact) => fact ?? [])];
      if (config.is === "unknown" || facts.some(isDark)) return { do: "hold", status: cache.status ?? {} };
      if (config.is === "missing") {
        const state: CacheState = {
          is: "stuck",
          attempt: attemptOf(cache),
          fault: { reason: "RuntimeConfigMissing", message: config.message },
        };
        return { do: "hold", ...raiseModelCache(cache, { state, seen, settings: undefined }) };
      }
      return converge({ cache, seen, settings: config.settings, options, now });
    },
  };
}

const isDark = ({ is }: Fact<unknown>): boolean => is === "pending" || is === "unreachable";

interface Pass {
  readonly cache: ModelCache;
  readonly seen: ModelCacheSeen;
  readonly settings: Settings;
  readonly options: AimOptions;
  readonly now: Instant;
}

function converge(pass: Pass): Decision<ModelCacheStatus> {
  const { cache, seen, settings } = pass;
  const state = judge(pass);
  const raised = raiseModelCache(cache, { state, seen, settings });
  return {
    do: "converge",
    children: childrenOf(pass, state),
    ...raised,
    ...(state.is === "backoff" ? { recheckIn: state.wait } : {}),
  };
}

/** How far the weights are. */
function judge(pass: Pass): CacheState {
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
  const fault = job === undefined ? undefined : classifyWaiting(job.pods);
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
  const fault = classifyWaiting(measure.value.pods);
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

function childrenOf(pass: Pass, state: CacheState): Desired[] {
  const { cache, seen, settings } = pass;
  const attempt = "attempt" in state ? state.attempt : 1;
  const question = { ...pass, attempt };
  const bytes = "bytes" in state ? state.bytes : undefined;
  const kept = (kind: typeof Job | typeof PersistentVolumeClaim, name: string): Desired => ({
    kind,
    object: {
      apiVersion: kind.group === "" ? kind.version : `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name },
    },
    keep: true,
  });
  const claim =
    bytes === undefined || seen.claim.is === "known"
      ? kept(PersistentVolumeClaim, claimNameOf(cache))
      : emitClaim({
          name: claimNameOf(cache),
          labels: labelsOf(cache, settings),
          size: claimSize(bytes, settings.headroomPercent ?? usualHeadroom),
          accessMode: "ReadWriteMany",
          storageClass: cache.spec.storageClassName ?? settings.storageClassName,
          life: "owned",
        });
  const made: Note = {
    type: "Normal",
    reason: "DownloadJobCreated",
    message: `Job ${downloadNameOf(cache, attempt)} fetches ${cache.spec.sourceUri}`,
  };
  const download =
    state.is === "fetching" && (seen.download.is === "absent" || attempt !== attemptOf(cache))
      ? { ...emitJob(planDownload(question)), news: { made } }
      : kept(Job, downloadNameOf(cache, attempt));
  const measure =
    state.is === "measuring" && (seen.measure?.is !== "known" || attempt !== attemptOf(cache))
      ? emitJob(planMeasure(question))
      : kept(Job, measureNameOf(cache, attempt));
  return [claim, download, measure];
}
