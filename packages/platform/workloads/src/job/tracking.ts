import type { api, Job, Pod } from "@trivium/kube";
import { isIgnored } from "./failure-policy.ts";
import { formatIndexes, parseIndexes } from "./index-set.ts";
import type { JobOutcome } from "./outcome.ts";
import { hasFailed, hasSucceeded, indexOf, isIndexed, isTracked, isValid } from "./pod-outcome.ts";
import type { Tally } from "./tally.ts";

type Counters = Pick<api.JobStatus, "succeeded" | "failed" | "completedIndexes" | "failedIndexes">;

/**
 * Pods are counted once, whatever happens in between: first an ended pod is written down as not yet counted, then it loses its finalizer,
 * then it is counted and struck off the list. Each step is taken only when the one before it is there to be read.
 */
export interface Tracking {
  readonly counters: Counters;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
  /** Pods that are written down, and may go. */
  readonly releasable: readonly Pod[];
}

interface Moment {
  readonly tally: Tally;
  readonly outcome: JobOutcome | undefined;
  /** Failed pods that an index still needs, for the number of its tries. */
  readonly needed: ReadonlySet<Pod>;
}

export function track(job: Job, pods: readonly Pod[], moment: Moment): Tracking {
  const { status } = job;
  const tracked = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""));
  const [succeeded, failed] = [
    status?.uncountedTerminatedPods?.succeeded ?? [],
    status?.uncountedTerminatedPods?.failed ?? [],
  ];
  const still = (list: readonly string[]) => list.filter((uid) => tracked.has(uid));
  const lists = { succeeded: [...still(succeeded)], failed: [...still(failed)] };
  const releasable: Pod[] = [];
  for (const pod of pods) {
    if (!isTracked(pod) || !canGo(pod, job, moment)) continue;
    const list = listFor(pod, job, moment);
    if (isWritten(pod, job, list)) releasable.push(pod);
    else if (list !== "indexes" && list !== "none") lists[list].push(pod.metadata.uid ?? "");
  }
  return { counters: countersOf(job, moment.tally, lists), uncounted: lists, releasable };
}

function canGo(pod: Pod, job: Job, { outcome, needed }: Moment): boolean {
  if (outcome !== undefined || hasSucceeded(pod)) return true;
  return hasFailed(pod, job) && !needed.has(pod);
}

/** Where the end of a pod is written. One that leaves because the job is a success, or that a rule ignores, is written nowhere. */
function listFor(pod: Pod, job: Job, { outcome }: Moment): "succeeded" | "failed" | "indexes" | "none" {
  const isListedAsFailed = job.status?.uncountedTerminatedPods?.failed?.includes(pod.metadata.uid ?? "");
  if (!isValid(pod, job)) return "none";
  if (hasSucceeded(pod) && !isListedAsFailed) return isIndexed(job) ? "indexes" : "succeeded";
  const isFailure = hasFailed(pod, job) || outcome?.is === "failure";
  return isFailure && !isIgnored(pod, job) ? "failed" : "none";
}

function isWritten(pod: Pod, job: Job, list: ReturnType<typeof listFor>): boolean {
  const { status, spec } = job;
  if (list === "none") return true;
  if (list !== "indexes") return status?.uncountedTerminatedPods?.[list]?.includes(pod.metadata.uid ?? "") ?? false;
  return parseIndexes(status?.completedIndexes, spec?.completions ?? 0).has(indexOf(pod, job) ?? -1);
}

function countersOf(job: Job, tally: Tally, lists: Tracking["uncounted"]): Counters {
  const { spec, status } = job;
  const before = status?.uncountedTerminatedPods;
  const struck = (old: readonly string[] | undefined, now: readonly string[]) =>
    (old ?? []).filter((uid) => !now.includes(uid)).length;
  const failed = (status?.failed ?? 0) + struck(before?.failed, lists.failed);
  if (!isIndexed(job)) {
    return { failed, succeeded: (status?.succeeded ?? 0) + struck(before?.succeeded, lists.succeeded) };
  }
  return {
    failed,
    succeeded: tally.succeededIndexes.size,
    completedIndexes: formatIndexes(tally.succeededIndexes),
    ...(spec?.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(tally.failedIndexes) }),
  };
}
