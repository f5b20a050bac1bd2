import type { Job, Pod } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import { byRemoval } from "../pods/removal-order.ts";
import { readyForIndex, readyForNext } from "./backoff.ts";
import { finishedAt, hasFailed, indexOf, isIndexed, isTracked, waitsForEnd } from "./pod-outcome.ts";
import type { Tally } from "./tally.ts";

/** Which pods a job lets go, and which it makes. */
export interface PodPlan {
  readonly leaving: readonly Pod[];
  readonly coming: readonly ComingPod[];
  /** When more may come, if failures hold them back. */
  readonly nextAt: Instant | undefined;
}

export interface ComingPod {
  readonly index: number | undefined;
  /** The failed pod of the same index that it stands in for. */
  readonly replaces: Pod | undefined;
}

const maxAtOnce = 500;
const nothing: PodPlan = { leaving: [], coming: [], nextAt: undefined };

export function planPods(job: Job, pods: readonly Pod[], tally: Tally, now: Instant): PodPlan {
  const { active } = tally;
  if (job.spec?.suspend) return { ...nothing, leaving: active };
  const wanted = wantedOf(job, tally);
  const leaving = leavingOf(job, active, Math.max(0, active.length - wanted));
  if (leaving.length > 0) return { ...nothing, leaving };
  const ending = waitsForEnd(job) ? pods.filter((pod) => isTerminating(pod) && !isFinished(pod)) : [];
  const missing = Math.min(wanted - ending.length - active.length, maxAtOnce);
  if (missing <= 0) return nothing;
  if (job.spec?.backoffLimitPerIndex !== undefined) return planIndexes(job, pods, tally, { missing, ending, now });
  const nextAt = readyForNext(job, pods);
  if (nextAt > now) return { ...nothing, nextAt };
  const indexes = isIndexed(job) ? pendingIndexes(job, tally, ending).slice(0, missing) : undefined;
  const coming = indexes ?? Array.from({ length: missing }, () => undefined);
  return { ...nothing, coming: coming.map((index) => ({ index, replaces: undefined })) };
}

function wantedOf({ spec }: Job, { active, succeeded }: Tally): number {
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(spec.completions - succeeded, parallelism));
}

/** Pods without a valid index, and all but one of the same index, go in any case. */
function leavingOf(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const inOrder = active.toSorted(byRemoval({}));
  const extra = isIndexed(job) ? inOrder.filter((pod, i) => isExtra(pod, inOrder.slice(i + 1), job)) : [];
  const rest = inOrder.filter((pod) => !extra.includes(pod));
  return [...extra, ...rest.slice(0, Math.max(0, atLeast - extra.length))];
}

function isExtra(pod: Pod, later: readonly Pod[], job: Job): boolean {
  const index = indexOf(pod, job);
  return index === undefined || later.some((other) => indexOf(other, job) === index);
}

function pendingIndexes(job: Job, tally: Tally, ending: readonly Pod[]): number[] {
  const taken = new Set([...tally.active, ...ending].flatMap((pod) => indexOf(pod, job) ?? []));
  const isPending = (index: number) =>
    !taken.has(index) && !tally.succeededIndexes.has(index) && !tally.failedIndexes.has(index);
  return Array.from({ length: job.spec?.completions ?? 0 }, (_, index) => index).filter(isPending);
}

interface PlanInput {
  readonly missing: number;
  readonly ending: readonly Pod[];
  readonly now: Instant;
}

/** Where every index has its own number of tries, every index also waits for itself. */
function planIndexes(job: Job, pods: readonly Pod[], tally: Tally, { missing, ending, now }: PlanInput): PodPlan {
  const last = lastFailures(job, pods, tally);
  const pending = pendingIndexes(job, tally, ending).slice(0, missing);
  const coming = pending
    .filter((index) => readyForIndex(last.get(index)) <= now)
    .map((index) => ({ index, replaces: last.get(index) }));
  const waiting = pending.map((index) => readyForIndex(last.get(index))).filter((at) => at > now);
  return { leaving: [], coming, nextAt: waiting.length === 0 ? undefined : Math.min(...waiting) };
}

/** The failed pod that each open index was left with. It keeps its finalizer until another stands in for it. */
export function lastFailures(job: Job, pods: readonly Pod[], tally: Tally): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  const active = new Set(tally.active.map((pod) => indexOf(pod, job)));
  for (const pod of pods) {
    const index = indexOf(pod, job);
    if (index === undefined || !isTracked(pod) || !hasFailed(pod, job)) continue;
    if (active.has(index) || tally.succeededIndexes.has(index) || tally.failedIndexes.has(index)) continue;
    const other = last.get(index);
    if (other === undefined || finishedAt(other) <= finishedAt(pod)) last.set(index, pod);
  }
  return last;
}
