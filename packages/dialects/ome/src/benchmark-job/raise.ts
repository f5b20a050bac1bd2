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
  if (measured.is === "over") return raiseOver(object);
  return stamped(object, raiseMeasured(object, measured, observed), now);
}

/** The result of another operator gets the details that say which request it belongs to. */
function raiseOver(object: BenchmarkJob): Status {
  const { details = "", ...status } = object.status ?? {};
  return { ...status, details: details === "" ? detailsOf(object, resultsOf(object, object.metadata.name)) : details };
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
  if (trouble === undefined)
    return { state, ...start, details: detailsOf(object, resultsOf(object, observed.jobName)) };
  const { message, isPassing } = trouble;
  const details = detailsOf(object, {
    ...resultsOf(object, observed.jobName),
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
  const details = detailsOf(object, { ...resultsOf(object, observed.jobName), ...countsOf(measured.summary) });
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

/** Where the results are, and the name of the Job where another operator has created it. */
const resultsOf = (object: BenchmarkJob, run: string | undefined): JsonObject => ({
  ...(run === undefined ? {} : { run }),
  results: resultsAt(object, run),
});

/** The time changes with the state, not with every pass. */
function stamped(object: BenchmarkJob, status: Status, now: Instant): Status {
  const before = object.status;
  const isSame = before?.state === status.state && before?.lastReconcileTime !== undefined;
  return { ...status, lastReconcileTime: isSame ? before.lastReconcileTime : formatTime(now) };
}
