import type { Job, Pod } from "@trivium/kube";
import type { Instant, Millis } from "@trivium/std";
import { countOf, failureCountKey, finishedAt, hasFailed, hasSucceeded, ignoredCountKey } from "./pod-outcome.ts";

const first: Millis = 10_000;
const most: Millis = 600_000;

/** When the next pod may be made: later with every failure since the last success. */
export function readyForNext(job: Job, pods: readonly Pod[]): Instant {
  const lastSuccess = Math.max(0, ...pods.filter(hasSucceeded).map(finishedAt));
  const failures = pods
    .filter((pod) => hasFailed(pod, job))
    .map(finishedAt)
    .filter((at) => at > lastSuccess);
  return afterFailures(failures.length, Math.max(0, ...failures));
}

/** The same for one index, whose failures are counted on its last pod. */
export function readyForIndex(last: Pod | undefined): Instant {
  if (last === undefined) return 0;
  return afterFailures(countOf(last, failureCountKey) + countOf(last, ignoredCountKey) + 1, finishedAt(last));
}

function afterFailures(failures: number, lastAt: Instant): Instant {
  if (failures === 0) return 0;
  return lastAt + Math.min(first * 2 ** (failures - 1), most);
}
