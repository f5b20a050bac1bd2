import type { AwaitedTarget, Measured, RunSummary } from "@trivium/domain";
import type { Note } from "@trivium/reconcile";
import { formatTime, type Instant, type JsonObject } from "@trivium/std";
import { jobNameOf } from "./names/job-name.ts";
import type { ObservedBenchmark } from "./observe.ts";
import type { BenchmarkJob } from "./pod/check-spec.ts";
import { planOutput } from "./pod/output.ts";
import { folderOf } from "./pod/tool-arguments.ts";
import { detailsOf } from "./status/details.ts";
import type { BenchmarkReason } from "./status/reasons.ts";

export type Status = NonNullable<BenchmarkJob["status"]>;
interface Raised {
  readonly status: Status;
  readonly notes?: readonly Note[];
}
type Decided = Exclude<Measured<BenchmarkReason>, { is: "unresolved" }>;

/** The status of a benchmark. */
export function raiseBenchmark(
  object: BenchmarkJob,
  measured: Decided,
  { observed, now }: { observed: ObservedBenchmark; now: Instant },
): Raised {
  if (measured.is === "over") return { status: object.status ?? {} };
  const { status, notes = [] } = raiseMeasured(object, measured, observed);
  return { status: stamped(object, status, now), notes };
}

type Current = Exclude<Decided, { is: "over" }>;

function raiseMeasured(object: BenchmarkJob, measured: Current, observed: ObservedBenchmark): Raised {
  switch (measured.is) {
    case "blocked":
      return {
        status: { state: "Failed", failureMessage: measured.message, details: detailsOf(object, {}) },
        notes: [{ type: "Warning", reason: "InvalidSpec", message: measured.message }],
      };
    case "waiting":
      return raiseWaiting(object, measured.target);
    case "planned":
      return raisePlanned(object, observed);
    case "underway":
      return raiseUnderway(object, measured, observed);
    case "completed":
    case "failed":
      return raiseEnded(object, measured, observed);
  }
}

/** Nothing runs, for a reason that a person can act on. */
function raiseWaiting(object: BenchmarkJob, { reason, message, why }: AwaitedTarget<BenchmarkReason>): Raised {
  const waitingFor = why === undefined ? message : `${message}: ${why}`;
  return {
    status: { state: "Pending", details: detailsOf(object, { waitingFor }) },
    notes: [{ type: "Warning", reason, message }],
  };
}

function raisePlanned(object: BenchmarkJob, { configuration }: ObservedBenchmark): Raised {
  const fault = configuration?.is === "known" ? configuration.value.fault : undefined;
  const started: Note = {
    type: "Normal",
    reason: "BenchmarkStarted",
    message: `Job ${jobNameOf(object)} is running the benchmark`,
  };
  const faults: Note[] =
    fault === undefined ? [] : [{ type: "Warning", reason: "InvalidConfiguration", message: fault }];
  return {
    status: { state: "Pending", details: detailsOf(object, {}) },
    notes: [started, ...faults, ...credentialNotes(object)],
  };
}

function raiseUnderway(
  object: BenchmarkJob,
  { isRunning, trouble }: Extract<Decided, { is: "underway" }>,
  observed: ObservedBenchmark,
): Raised {
  const state = isRunning ? "Running" : "Pending";
  const start = startOf(observed);
  if (trouble === undefined) return { status: { state, ...start, details: detailsOf(object, resultsOf(object)) } };
  const { message, isPassing } = trouble;
  const details = detailsOf(object, {
    ...resultsOf(object),
    ...(isRunning ? { trouble: message } : { waitingFor: message }),
  });
  const cause = isPassing ? {} : { failureMessage: message };
  return {
    status: { state, ...start, ...cause, details },
    notes: [{ type: "Warning", reason: "PodNotRunning", message }],
  };
}

function raiseEnded(
  object: BenchmarkJob,
  measured: Extract<Decided, { is: "completed" | "failed" }>,
  observed: ObservedBenchmark,
): Raised {
  const end = observed.job.is === "known" ? observed.job.value.ended?.at : undefined;
  const times = { ...startOf(observed), ...(end === undefined ? {} : { completionTime: end }) };
  const details = detailsOf(object, { ...resultsOf(object), ...countsOf(measured.summary) });
  if (measured.is === "completed") {
    const message = `Results stored in ${resultsAt(object)}`;
    return {
      status: { state: "Completed", ...times, details },
      notes: [{ type: "Normal", reason: "BenchmarkCompleted", message }],
    };
  }
  const { message } = measured;
  return {
    status: { state: "Failed", ...times, failureMessage: message, details },
    notes: [{ type: "Warning", reason: "BenchmarkFailed", message }],
  };
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

const resultsAt = (object: BenchmarkJob): string => {
  const { storageUri } = object.spec.outputLocation;
  return `${storageUri.replace(/\/+$/, "")}/${folderOf(object)}`;
};

const resultsOf = (object: BenchmarkJob): JsonObject => ({ results: resultsAt(object) });

/** The time changes with the state, not with every pass. */
function stamped(object: BenchmarkJob, status: Status, now: Instant): Status {
  const before = object.status;
  const isSame = before?.state === status.state && before?.lastReconcileTime !== undefined;
  return { ...status, lastReconcileTime: isSame ? before.lastReconcileTime : formatTime(now) };
}

function credentialNotes(object: BenchmarkJob): Note[] {
  const output = planOutput(object);
  if (output.is === "faulty" || output.plainCredentials.length === 0) return [];
  const message = `spec.outputLocation.parameters contains credentials in plain text (${output.plainCredentials.join(", ")}); move them to a Secret and set spec.outputLocation.key`;
  return [{ type: "Warning", reason: "PlainCredentials", message }];
}
