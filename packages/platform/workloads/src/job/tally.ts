import type { Job, Pod } from "@trivium/kube";
import { isActive } from "../pods/pod-state.ts";
import { isIgnored, rulingOn } from "./failure-policy.ts";
import { parseIndexes } from "./index-set.ts";
import {
  countOf,
  failureCountKey,
  hasFailed,
  hasSucceeded,
  indexOf,
  isIndexed,
  isTracked,
  isValid,
} from "./pod-outcome.ts";

/** How far a job has come: what is written in its status, and what its pods add to that. */
export interface Tally {
  readonly active: readonly Pod[];
  /** Pods that ended, with those that are written down but not yet added up. */
  readonly succeeded: number;
  readonly failed: number;
  readonly succeededIndexes: ReadonlySet<number>;
  readonly failedIndexes: ReadonlySet<number>;
}

export function tallyOf(job: Job, pods: readonly Pod[]): Tally {
  const { spec, status } = job;
  const completions = spec?.completions ?? 0;
  const fresh = pods.filter((pod) => isTracked(pod) && isValid(pod, job));
  const uncounted = status?.uncountedTerminatedPods;
  const isNew = (list: readonly string[] | undefined, { metadata }: Pod) => !list?.includes(metadata.uid ?? "");
  const succeeded = fresh.filter((pod) => hasSucceeded(pod) && isNew(uncounted?.succeeded, pod));
  const failed = fresh.filter((pod) => hasFailed(pod, job) && !isIgnored(pod, job) && isNew(uncounted?.failed, pod));
  const together = (text: string | undefined, some: readonly Pod[]) =>
    new Set([...parseIndexes(text, completions), ...some.flatMap((pod) => indexOf(pod, job) ?? [])]);
  const succeededIndexes = together(status?.completedIndexes, fresh.filter(hasSucceeded));
  const lost = fresh.filter((pod) => isLastFailure(pod, job));
  const failedIndexes = together(status?.failedIndexes, lost);
  const counted = (status?.succeeded ?? 0) + succeeded.length + (uncounted?.succeeded?.length ?? 0);
  return {
    active: pods.filter(isActive),
    succeeded: isIndexed(job) ? succeededIndexes.size : counted,
    failed: (status?.failed ?? 0) + failed.length + (uncounted?.failed?.length ?? 0),
    succeededIndexes,
    failedIndexes,
  };
}

/** Whether its index gets no further pod. */
function isLastFailure(pod: Pod, job: Job): boolean {
  const limit = job.spec?.backoffLimitPerIndex;
  if (limit === undefined || !hasFailed(pod, job)) return false;
  const ruling = rulingOn(pod, job);
  if (ruling?.action === "FailIndex") return true;
  return ruling?.action !== "Ignore" && countOf(pod, failureCountKey) >= limit;
}
