import { type api, findCondition, Job, Pod } from "@trivium/kube";
import type { Decision, Desired, Note, Patch, Reconciler } from "@trivium/reconcile";
import { formatTime, type Instant } from "@trivium/std";
import { type Belongings, byName, claim, letGo, observeBelongings } from "../pods/claim.ts";
import { withoutZeros } from "../pods/counts.ts";
import { isActive, isFinished, isReady, isTerminating } from "../pods/pod-state.ts";
import { newPods } from "./new-pod.ts";
import { deadlineOf, type JobOutcome, outcomeOn, successByNumber } from "./outcome.ts";
import { lastFailures, type PodPlan, planPods } from "./plan-pods.ts";
import { isTracked, trackingFinalizer } from "./pod-outcome.ts";
import { type Tally, tallyOf } from "./tally.ts";
import { type Tracking, track } from "./tracking.ts";

export interface ObservedJob {
  readonly pods: Belongings<Pod>;
}

type Status = NonNullable<Job["status"]>;

/** Runs pods until enough of them have succeeded, or too many have failed. */
export const jobReconciler: Reconciler<Job, ObservedJob, typeof Pod> = {
  name: "job-controller",
  kind: Job,
  reads: [],
  writes: [Pod],
  controls: [Pod],
  hasPlainConditions: true,
  observe: (job, reader) => ({ pods: observeBelongings(job, job.spec?.selector, Pod, reader) }),
  decide(job, observed, now) {
    if (isElsewhere(job) || isOver(job)) return { do: "hold", status: job.status ?? {} };
    return decideOpen(job, observed, now);
  },
};

const isElsewhere = ({ spec }: Job): boolean =>
  spec?.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";

export function isOver({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: state }) => (type === "Complete" || type === "Failed") && state === "True",
  );
}

/** What is decided about an open job, before it is said. */
interface Progress {
  readonly tally: Tally;
  readonly plan: PodPlan;
  readonly outcome: JobOutcome | undefined;
  readonly tracking: Tracking;
  readonly active: number;
  readonly terminating: number;
  /** Set when all pods are gone and counted. */
  readonly isFinished: boolean;
}

function decideOpen(job: Job, { pods }: ObservedJob, now: Instant): Decision<Status> {
  const { ours, strangers } = claim(pods, job.spec?.selector);
  const progress = progressOf(job, ours, now);
  const { plan, outcome, tracking } = progress;
  const leaving = new Set(plan.leaving);
  const kept = ours.filter((pod) => isFinished(pod) || (isActive(pod) && !leaving.has(pod)));
  // A pod that leaves without having failed must not be counted: it loses its finalizer first.
  const uncounted = outcome?.is === "failure" ? [] : plan.leaving;
  const released = [...new Set([...tracking.releasable, ...uncounted])].sort(byName);
  const nextAt = earliest(plan.nextAt, outcome === undefined ? deadlineOf(withStart(job, now)) : undefined);
  return {
    do: "converge",
    children: [...kept.sort(byName).map(keep), ...newPods(job, [...pods.own, ...pods.orphans], plan.coming)],
    patches: [...released.map(release), ...letGo(job, Pod, strangers.filter(isActive))],
    status: statusOf(job, progress, now),
    notes: [...plan.leaving.toSorted(byName).map(deleted), ...eventsOf(job, progress)],
    ...(nextAt === undefined || nextAt <= now ? {} : { recheckIn: nextAt - now }),
  };
}

function progressOf(job: Job, pods: readonly Pod[], now: Instant): Progress {
  const tally = tallyOf(job, pods);
  const early = outcomeOn(job, pods, tally, now);
  const plan: PodPlan =
    early === undefined ? planPods(job, pods, tally, now) : { leaving: tally.active, coming: [], nextAt: undefined };
  const active = tally.active.length - plan.leaving.length + plan.coming.length;
  const outcome = early ?? successByNumber(job, tally, active);
  const needed = new Set(job.spec?.backoffLimitPerIndex === undefined ? [] : lastFailures(job, pods, tally).values());
  const tracking = track(job, pods, { tally, outcome, needed });
  const terminating = pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length + plan.leaving.length;
  const open = pods.filter(isTracked).length + tracking.uncounted.succeeded.length + tracking.uncounted.failed.length;
  return {
    tally,
    plan,
    outcome,
    tracking,
    active,
    terminating,
    isFinished: outcome !== undefined && open + terminating === 0,
  };
}

const keep = (pod: Pod): Desired => ({ kind: Pod, object: pod, keep: true });

function release({ metadata: { namespace, name = "" } }: Pod): Patch {
  return { patch: "finalizers", kind: Pod, ref: { namespace, name }, remove: [trackingFinalizer] };
}

function deleted({ metadata }: Pod): Note {
  return { type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${metadata.name}` };
}

function earliest(...times: readonly (Instant | undefined)[]): Instant | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

type Suspension = "suspended" | "resumed" | "same";

/** Whether suspending or resuming is news: a job that never was suspended has nothing to resume from. */
function suspensionOf({ spec, status }: Job, { outcome }: Progress): Suspension {
  const condition = findCondition(status?.conditions, "Suspended");
  if (outcome !== undefined) return "same";
  if (spec?.suspend) return condition?.status === "True" ? "same" : "suspended";
  return condition?.status === "True" ? "resumed" : "same";
}

function eventsOf(job: Job, progress: Progress): Note[] {
  const { outcome } = progress;
  const suspension = suspensionOf(job, progress);
  if (suspension === "suspended") return [{ type: "Normal", reason: "Suspended", message: "Job suspended" }];
  if (suspension === "resumed") return [{ type: "Normal", reason: "Resumed", message: "Job resumed" }];
  if (!progress.isFinished || outcome === undefined) return [];
  if (outcome.is === "failure") return [{ type: "Warning", reason: outcome.reason, message: outcome.message }];
  const tooMany = "Too many succeeded pods running after completion count reached";
  const isTooMany = (progress.tracking.counters.succeeded ?? 0) > (job.spec?.completions ?? Number.POSITIVE_INFINITY);
  return [
    ...(isTooMany ? [{ type: "Warning", reason: "TooManySucceededPods", message: tooMany } as const] : []),
    { type: "Normal", reason: "Completed", message: "Job completed" },
  ];
}

function statusOf(job: Job, progress: Progress, now: Instant): Status {
  const { tracking, plan, tally, outcome } = progress;
  const { succeeded, failed, ...indexes } = tracking.counters;
  const ready = tally.active.filter((pod) => isReady(pod) && !plan.leaving.includes(pod)).length;
  const startTime = startOf(job, progress, now);
  const conditions = conditionsOf(job, progress, now);
  const isComplete = progress.isFinished && outcome?.is === "success";
  return {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(isComplete ? { completionTime: formatTime(now) } : {}),
    ...withoutZeros({ active: progress.active, succeeded, failed }),
    ...(indexes.completedIndexes ? { completedIndexes: indexes.completedIndexes } : {}),
    ...(indexes.failedIndexes === undefined ? {} : { failedIndexes: indexes.failedIndexes }),
    ready,
    terminating: progress.terminating,
    uncountedTerminatedPods: listsOf(tracking),
  };
}

function listsOf({ uncounted }: Tracking): api.UncountedTerminatedPods {
  const { succeeded, failed } = uncounted;
  return {
    ...(succeeded.length === 0 ? {} : { succeeded: succeeded.toSorted() }),
    ...(failed.length === 0 ? {} : { failed: failed.toSorted() }),
  };
}

function withStart(job: Job, now: Instant): Job {
  const { status, spec } = job;
  if (status?.startTime !== undefined || spec?.suspend) return job;
  return { ...job, status: { ...status, startTime: formatTime(now) } };
}

function startOf(job: Job, progress: Progress, now: Instant): string | undefined {
  const suspension = suspensionOf(job, progress);
  if (suspension === "suspended") return undefined;
  if (suspension === "resumed") return formatTime(now);
  return withStart(job, now).status?.startTime;
}

function conditionsOf(job: Job, progress: Progress, now: Instant): api.JobCondition[] {
  const there = job.status?.conditions ?? [];
  const reported = new Map(there.map((condition) => [condition.type, condition]));
  const say = (type: string, status: "True" | "False", { reason, message }: Pick<JobOutcome, "reason" | "message">) => {
    const before = reported.get(type);
    const isSame = before?.status === status && before.reason === reason && before.message === message;
    const lastProbeTime = isSame ? before.lastProbeTime : formatTime(now);
    reported.set(type, { ...before, type, status, reason, message, lastProbeTime });
  };
  const suspension = suspensionOf(job, progress);
  if (suspension === "suspended") say("Suspended", "True", { reason: "JobSuspended", message: "Job suspended" });
  if (suspension === "resumed") say("Suspended", "False", { reason: "JobResumed", message: "Job resumed" });
  const { outcome, isFinished: isEnd } = progress;
  if (outcome !== undefined) {
    say(outcome.is === "success" ? "SuccessCriteriaMet" : "FailureTarget", "True", outcome);
    if (isEnd) say(outcome.is === "success" ? "Complete" : "Failed", "True", outcome);
  }
  return [...reported.values()];
}
