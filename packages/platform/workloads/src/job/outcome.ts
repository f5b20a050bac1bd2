import { findCondition, type Job, type Pod } from "@trivium/kube";
import { type Instant, parseTime } from "@trivium/std";
import { rulingOn } from "./failure-policy.ts";
import { hasFailed, isIndexed } from "./pod-outcome.ts";
import { successRuleOf } from "./success-policy.ts";
import type { Tally } from "./tally.ts";

/** Why a job is at its end, once its pods are gone and counted. */
export interface JobOutcome {
  readonly is: "success" | "failure";
  readonly reason: string;
  readonly message: string;
}

const failure = (reason: string, message: string): JobOutcome => ({ is: "failure", reason, message });

/** What was said once stays; then failures by rule, by number, by time, by index; then success by rule. */
export function outcomeOn(job: Job, pods: readonly Pod[], tally: Tally, now: Instant): JobOutcome | undefined {
  return (
    spoken(job) ??
    failureByRule(job, pods) ??
    failureByNumber(job, pods, tally) ??
    failureByTime(job, now) ??
    failureByIndex(job, tally) ??
    successByRule(job, tally)
  );
}

function spoken({ status }: Job): JobOutcome | undefined {
  for (const [type, is] of [
    ["SuccessCriteriaMet", "success"],
    ["FailureTarget", "failure"],
  ] as const) {
    const { status: state, reason = "", message = "" } = findCondition(status?.conditions, type) ?? {};
    if (state === "True") return { is, reason, message };
  }
  return undefined;
}

function failureByRule(job: Job, pods: readonly Pod[]): JobOutcome | undefined {
  for (const pod of pods) {
    const message = hasFailed(pod, job) ? rulingOn(pod, job)?.message : undefined;
    if (message !== undefined) return failure("PodFailurePolicy", message);
  }
  return undefined;
}

function failureByNumber(job: Job, pods: readonly Pod[], { failed }: Tally): JobOutcome | undefined {
  const limit = job.spec?.backoffLimit ?? 6;
  if (failed <= limit && !hasRestartedTooOften(job, pods, limit)) return undefined;
  return failure("BackoffLimitExceeded", "Job has reached the specified backoff limit");
}

/** Pods that restart their containers themselves never fail; their restarts count instead. */
function hasRestartedTooOften({ spec }: Job, pods: readonly Pod[], limit: number): boolean {
  if (spec?.template?.spec?.restartPolicy !== "OnFailure") return false;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    restarts += all.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

/** When the job has been at it for too long, if it has a deadline and has begun. */
export function deadlineOf({ spec, status }: Job): Instant | undefined {
  const start = parseTime(status?.startTime ?? "");
  if (spec?.activeDeadlineSeconds === undefined || start === undefined || spec.suspend) return undefined;
  return start + spec.activeDeadlineSeconds * 1_000;
}

function failureByTime(job: Job, now: Instant): JobOutcome | undefined {
  const deadline = deadlineOf(job);
  if (deadline === undefined || now < deadline) return undefined;
  return failure("DeadlineExceeded", "Job was active longer than specified deadline");
}

function failureByIndex(job: Job, { failedIndexes, succeededIndexes }: Tally): JobOutcome | undefined {
  if (!isIndexed(job) || job.spec?.backoffLimitPerIndex === undefined) return undefined;
  const { maxFailedIndexes, completions = 0 } = job.spec;
  if (maxFailedIndexes !== undefined && failedIndexes.size > maxFailedIndexes) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  if (failedIndexes.size === 0 || failedIndexes.size + succeededIndexes.size < completions) return undefined;
  return failure("FailedIndexes", "Job has failed indexes");
}

function successByRule(job: Job, { succeededIndexes }: Tally): JobOutcome | undefined {
  const message = isIndexed(job) ? successRuleOf(job, succeededIndexes) : undefined;
  return message === undefined ? undefined : { is: "success", reason: "SuccessPolicy", message };
}

/** Enough pods have succeeded, and none is left. */
export function successByNumber({ spec }: Job, { succeeded }: Tally, active: number): JobOutcome | undefined {
  const isDone = spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  if (!isDone || active > 0) return undefined;
  return { is: "success", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" };
}
