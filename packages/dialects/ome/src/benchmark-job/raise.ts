import type { AwaitedTarget, Measured, RunSummary } from "@trivium/domain";
import { formatTime, type Instant, type JsonObject } from "@trivium/std";
import type { ObservedBenchmark } from "./observe.ts";
import type { BenchmarkJob } from "./pod/check-spec.ts";
import { resultsAt } from "./pod/tool-arguments.ts";
import { detailsOf } from "./status/details.ts";
import type { BenchmarkReason } from "./status/reasons.ts";

export type Status = NonNullable<BenchmarkJob["status"]>;
export type Decided = Exclude<Measured<BenchmarkReason>, { is: "unresolved" }>;

/** The status of a benchmark. */
export function raiseBenchmark(
  object: BenchmarkJob,
  measured: Decided,
  { observed, now }: { observed: ObservedBenchmark; now: Instant },
): Status {
  if (measured.is === "over") return object.status ?? {};
  return stamped(object, raiseMeasured(object, measured, observed), now);
}

type Current = Exclude<Decided, { is: "over" }>;

function raiseMeasured(object: BenchmarkJob, measured: Current, observed: ObservedBenchmark): Status {
  switch (measured.is) {
    case "blocked":
      return { state: "Failed", failureMessage: measured.message, details: detailsOf(object, {}) };
    case "waiting":
      return raiseWaiting(object, measured.target);
    case "planned":
      return { state: "Pending", details: detailsOf(object, {}) };
    case "underway":
      return raiseUnderway(object, measured, observed);
    case "completed":
    case "failed":
      return raiseEnded(object, measured, observed);
  }
}

/** Nothing runs, for a reason that a person can act on. */
function raiseWaiting(object: BenchmarkJob, { message, why }: AwaitedTarget<BenchmarkReason>): Status {
  const waitingFor = why === undefined ? message : `${message}: ${why}`;
  return { state: "Pending", details: detailsOf(object, { waitingFor }) };
}

function raiseUnderway(
  object: BenchmarkJob,
  { isRunning, trouble }: Extract<Decided, { is: "underway" }>,
  observed: ObservedBenchmark,
): Status {
  const state = isRunning ? "Running" : "Pending";
  const start = startOf(observed);
  if (trouble === undefined) return { state, ...start, details: detailsOf(object, resultsOf(object)) };
  const { message, isPassing } = trouble;
  const details = detailsOf(object, {
    ...resultsOf(object),
    ...(isRunning ? { trouble: message } : { waitingFor: message }),
  });
  const cause = isPassing ? {} : { failureMessage: message };
  return { state, ...start, ...cause, details };
}

function raiseEnded(
  object: BenchmarkJob,
  measured: Extract<Decided, { is: "completed" | "failed" }>,
  observed: ObservedBenchmark,
): Status {
  const end = observed.job.is === "known" ? observed.job.value.ended?.at : undefined;
  const times = { ...startOf(observed), ...(end === undefined ? {} : { completionTime: end }) };
  const details = detailsOf(object, { ...resultsOf(object), ...countsOf(measured.summary) });
  return measured.is === "completed"
    ? { state: "Completed", ...times, details }
    : { state: "Failed", ...times, failureMessage: measured.message, details };
}

const startOf = ({ job }: ObservedBenchmark): Pick<Status, "startTime"> =>
  job.is === "known" && job.value.startTime !== undefined ? { startTime: job.value.startTime } : {};

const countsOf = (summary: RunSummary | undefined): JsonObject =>
  summary === undefined
    ? {}
    : {
        requests: summary.requests,
        answered: summary.answered,
        ...(summary.best === undefined ? {} : { best: summary.best }),
      };

const resultsOf = (object: BenchmarkJob): JsonObject => ({ results: resultsAt(object) });

/** The time changes with the state, not with every pass. */
function stamped(object: BenchmarkJob, status: Status, now: Instant): Status {
  const before = object.status;
  const isSame = before?.state === status.state && before?.lastReconcileTime !== undefined;
  return { ...status, lastReconcileTime: isSame ? before.lastReconcileTime : formatTime(now) };
}
