import type { InspectionReport, PreparationIntent, Prepared, TaskReport, VolumeReport } from "@trivium/domain";
import { prepare } from "@trivium/engines";
import { cachePaths } from "../../field-paths.ts";
import type { DownloadReason } from "../../reasons/serving.ts";
import { downloadNameOf, measureNameOf } from "../names/names.ts";
import { downloadContext, sourceContext, totalFault } from "../weights/claim-space.ts";
import { localSourceOf, refusalOf } from "../weights/local-source.ts";
import { spaceOf } from "../weights/space.ts";
import type { CachePass } from "./cache-pass.ts";
import type { CacheState } from "./cache-state.ts";
import { claimFault } from "./claim-fault.ts";
import { classifyRunning, type DownloadFault } from "./classify.ts";
import { attemptsOf, awaitedFault, expiredJob, failedJob, retriedFault, wasGivenUp } from "./retries.ts";

/** How far the weights are: what the steps of the middle come to, in the words of a cache. */
export function judge(pass: CachePass): CacheState {
  const intent = lowerPreparation(pass);
  return stateOf(prepare(intent), intent.attempts?.attempt ?? pass.attempt);
}

function lowerPreparation(pass: CachePass): PreparationIntent<DownloadReason> {
  const { cache, observed, bytes } = pass;
  return {
    isHeld: cache.status?.status === "Available" && observed.claim.is === "known",
    fault: sourceFault(pass),
    inspection: bytes === undefined ? inspectionOf(pass) : undefined,
    volume: volumeOf(pass),
    transfers: { reports: transfersOf(pass), need: "any", otherwise: { is: "started" } },
    attempts: attemptsOf(pass),
    paths: cachePaths,
  };
}

function sourceFault({ cache, options }: CachePass): DownloadFault | undefined {
  const local = localSourceOf(cache, options);
  if (local === undefined || local.root !== undefined) return undefined;
  return { reason: "SourceNotAllowed", message: refusalOf(local, options) };
}

/** The Job that finds out how large the weights are. */
function inspectionOf(pass: CachePass): InspectionReport<DownloadReason> {
  const { cache, observed, attempt } = pass;
  const task = { of: "source", by: `Job ${measureNameOf(cache, attempt)}` } as const;
  const job = observed.measure?.is === "known" ? observed.measure.value : undefined;
  if (job === undefined) return { ...task, state: "waiting", ...(wasGivenUp(cache) ? expiredJob(pass) : {}) };
  if (job.state === "failed") return { ...task, ...failedJob(pass, job) };
  if (job.state === "succeeded") {
    const message = `The source does not report the size of ${cache.spec.sourceUri}; set spec.size`;
    return { ...task, state: "failed", isFinal: true, fault: { reason: "DownloadFailed", message } };
  }
  return { ...task, state: "running", fault: classifyRunning(job, sourceContext(cache)) ?? earlierFault(pass) };
}

const earlierFault = (pass: CachePass): DownloadFault | undefined => awaitedFault(pass.cache) ?? retriedFault(pass);

const volumeReasons = { missing: "WaitingForPVC", lost: "PVCLost", unbound: "WaitingForPVC" } as const;

function volumeOf(pass: CachePass): VolumeReport<DownloadReason> {
  const { cache, observed, claimName } = pass;
  const claim = observed.claim.is === "known" ? observed.claim.value : undefined;
  const wasBound = observed.download.is === "known" || wasGivenUp(cache);
  return {
    claim: claimName,
    owner: "operator",
    phase: (claim?.phase ?? "missing") as VolumeReport["phase"],
    // A download that was started found its volume, or is the pod that the volume waits for.
    waitsForPod: claim?.waitsForPod === true || wasBound,
    isLeaving: claim?.isLeaving,
    fault: claimFault(pass)?.message,
    space: spaceOf(pass),
    reasons: volumeReasons,
  };
}

function transfersOf(pass: CachePass): TaskReport<DownloadReason>[] {
  const { cache, observed, attempt } = pass;
  const by = `Job ${downloadNameOf(cache, attempt)}`;
  const job = observed.download.is === "known" ? observed.download.value : undefined;
  if (job === undefined) return wasGivenUp(cache) ? [{ by, ...expiredJob(pass) }] : [];
  if (job.state === "succeeded") return [{ by, state: "done" }];
  if (job.state === "failed") return [{ by, ...failedJob(pass, job) }];
  const fault = classifyRunning(job, downloadContext(pass)) ?? totalFault(pass) ?? earlierFault(pass);
  return [{ by, state: "running", fault }];
}

function stateOf(prepared: Prepared<DownloadReason>, current: number): CacheState {
  switch (prepared.is) {
    case "ready":
      return { is: "full", attempt: current };
    case "blocked":
      return { is: "stuck", attempt: current, fault: prepared.fault, wait: prepared.retryIn };
    case "preparing":
      return preparingState(prepared, current);
    case "unresolved":
      return { is: "claiming", attempt: current };
  }
}

function preparingState(prepared: Extract<Prepared<DownloadReason>, { is: "preparing" }>, current: number): CacheState {
  const { step, fault, next, retryIn, isReplaced } = prepared;
  const { attempt = current, allowed } = next ?? {};
  const count = { attempt, ...(allowed === undefined ? {} : { allowed }) };
  const why = fault === undefined ? {} : { why: fault.message };
  if (isReplaced) return { is: "reclaiming", ...count, why: fault?.message ?? "" };
  if (retryIn !== undefined && fault !== undefined) return { is: "backoff", attempt, fault, wait: retryIn };
  if (fault?.reason === "SourceNotFound") return { is: "rechecking", of: step, ...count, fault };
  switch (step) {
    case "inspection":
      return { is: "measuring", ...count, ...(fault === undefined ? {} : { fault }) };
    case "space":
      return { is: "queueing", attempt, why: fault?.message ?? "" };
    case "transfer":
      return { is: "fetching", ...count, ...(fault === undefined ? {} : { fault }) };
    default:
      return { is: "claiming", attempt, ...why };
  }
}
