import { formatMemory } from "@trivium/engines";
import { annotations } from "../../labels.ts";
import { bytesOf } from "../../storage/claim-size.ts";
import { claimSpaceFault, downloadContext, totalFault } from "../weights/claim-space.ts";
import { localSourceOf, refusalOf } from "../weights/local-source.ts";
import type { CachePass } from "./cache-pass.ts";
import type { CacheState } from "./cache-state.ts";
import { claimFault } from "./claim-fault.ts";
import { classifyRunning } from "./classify.ts";
import { conditionOf, newRow, retried, wasGivenUp } from "./retries.ts";

/** How far the weights are. */
export function judge(pass: CachePass): CacheState {
  const { cache, observed, attempt, bytes, claimName: name } = pass;
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
  if (bytes === undefined) return measureState(pass);
  if (claim === undefined) return claimState(pass);
  if (isTooSmall(pass)) {
    const why = `PersistentVolumeClaim ${name} was too small; replacing it with one of ${pass.claimSize}`;
    return { is: "reclaiming", ...newRow(attempt), why };
  }
  const small = observed.download.is === "absent" ? claimSpaceFault(pass, Number(bytes)) : undefined;
  if (small !== undefined) return { is: "stuck", attempt, fault: small };
  return downloadState(pass);
}

/** A claim is made where its namespace has room for it. A Job that filled a claim which is gone says nothing of a new one. */
function claimState(pass: CachePass): CacheState {
  const { cache, observed, settings, attempt } = pass;
  const isStale = cache.status?.persistentVolumeClaim !== undefined && observed.download.is === "known";
  const next = isStale ? attempt + 1 : attempt;
  if (observed.heldBy !== undefined) return { is: "queueing", attempt: next, why: heldMessage(pass, observed.heldBy) };
  if (settings.maxCacheBytes === undefined) return { is: "claiming", attempt: next };
  const { [annotations.cacheSpace]: space, [annotations.cacheSpaceReason]: why = "" } =
    cache.metadata.annotations ?? {};
  if (space === "granted") return { is: "claiming", attempt: next };
  if (space === "refused") return { is: "stuck", attempt: next, fault: { reason: "CacheQuotaExceeded", message: why } };
  return { is: "queueing", attempt: next, why: why || "Checking the model cache budget of the namespace" };
}

function heldMessage({ cache, bytes = 0n }: CachePass, holders: readonly string[]): string {
  const weights = `${cache.spec.sourceUri} (${formatMemory(Number(bytes))})`;
  const services = `an AIMService that uses AIMTemplateCache ${holders.slice(0, 3).join(", ")}`;
  return `Waiting to download ${weights} until ${services} fits on a node; check the condition Fits of the service`;
}

/** Only where it was tried and did not fit: what was claimed stays as it was, whatever the settings say later. */
function isTooSmall({ cache, observed, claimSize }: CachePass): boolean {
  const size = observed.claim.is === "known" ? bytesOf(observed.claim.value.size) : undefined;
  const wasFull = conditionOf(cache, "DownloadComplete")?.reason === "StorageFull";
  const isQuiet = observed.download.is !== "known" || observed.download.value.state === "failed";
  return wasFull && isQuiet && size !== undefined && size < (bytesOf(claimSize) ?? 0n);
}

function downloadState(pass: CachePass): CacheState {
  const { cache, observed, attempt } = pass;
  const { phase, waitsForPod } =
    observed.claim.is === "known" ? observed.claim.value : { phase: "Pending", waitsForPod: false };
  const job = observed.download.is === "known" ? observed.download.value : undefined;
  if (job === undefined) {
    if (wasGivenUp(cache)) return retried(pass, { attempt, endedAt: undefined });
    const fault = claimFault(pass)?.message;
    const why = fault === undefined ? {} : { why: fault };
    return phase !== "Bound" && !waitsForPod ? { is: "claiming", attempt, ...why } : { is: "fetching", attempt };
  }
  if (job.state === "succeeded") return { is: "full", attempt };
  if (job.state === "failed") return retried(pass, { attempt, endedAt: job.endedAt, job });
  const fault = classifyRunning(job, downloadContext(pass)) ?? totalFault(pass);
  return { is: "fetching", attempt, ...(fault === undefined ? {} : { fault }) };
}

function measureState(pass: CachePass): CacheState {
  const { cache, observed, attempt } = pass;
  const { measure } = observed;
  if (measure?.is !== "known")
    return wasGivenUp(cache) ? retried(pass, { attempt, endedAt: undefined }) : { is: "measuring", attempt };
  if (measure.value.state === "failed")
    return retried(pass, { attempt, endedAt: measure.value.endedAt, job: measure.value });
  if (measure.value.state === "succeeded") {
    const message = `The source does not report the size of ${cache.spec.sourceUri}; set spec.size`;
    return { is: "stuck", attempt, fault: { reason: "DownloadFailed", message } };
  }
  const fault = classifyRunning(measure.value, { sourceUri: cache.spec.sourceUri });
  return { is: "measuring", attempt, ...(fault === undefined ? {} : { fault }) };
}
