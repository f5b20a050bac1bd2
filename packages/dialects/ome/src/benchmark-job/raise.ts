import type { Failure } from "@trivium/domain";
import { diagnose, findFailure, formatDiagnosis } from "@trivium/engines";
import type { Note } from "@trivium/reconcile";
import { formatTime, type Instant, isObject, type JsonObject } from "@trivium/std";
import { benchmarkPaths } from "../field-paths.ts";
import type { Waiting } from "./lower.ts";
import { jobNameOf } from "./names/job-name.ts";
import type { ObservedBenchmark, ObservedJob } from "./observe.ts";
import type { BenchmarkJob } from "./pod/check-spec.ts";
import { planOutput } from "./pod/output.ts";
import { folderOf } from "./pod/tool-arguments.ts";

export type Status = NonNullable<BenchmarkJob["status"]>;
export interface Raised {
  readonly status: Status;
  readonly notes: Note[];
}

/** What was said of this very wish before, if it was the last word. */
export function lastLogLineOf(object: BenchmarkJob): Status | undefined {
  const { status } = object;
  if (status?.state !== "Completed" && status?.state !== "Failed") return undefined;
  return detailsOf(status)?.job === jobNameOf(object) ? status : undefined;
}

function detailsOf({ details }: Status): JsonObject | undefined {
  try {
    const found: unknown = JSON.parse(details ?? "");
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Nothing runs, for a reason that somebody can act on. */
export function raiseWaiting(
  object: BenchmarkJob,
  { reason, message, why }: Omit<Waiting, "is">,
  now: Instant,
): Raised {
  const waitingFor = why === undefined ? message : `${message}: ${why}`;
  const status = stamped(object, { state: "Pending", details: details(object, { waitingFor }) }, now);
  return { status, notes: [{ type: "Warning", reason, message }] };
}

/** The Job is about to be made. */
export function raisePending(
  object: BenchmarkJob,
  { fault, now }: { fault: string | undefined; now: Instant },
): Raised {
  const status = stamped(object, { state: "Pending", details: details(object, {}) }, now);
  const note: Note = {
    type: "Normal",
    reason: "BenchmarkStarted",
    message: `Job ${jobNameOf(object)} is running the benchmark`,
  };
  const faults: Note[] =
    fault === undefined ? [] : [{ type: "Warning", reason: "InvalidConfiguration", message: fault }];
  return { status, notes: [note, ...faults, ...credentialNotes(object)] };
}

export function raiseFaulty(object: BenchmarkJob, why: string, now: Instant): Raised {
  const status = stamped(object, { state: "Failed", failureMessage: why, details: details(object, {}) }, now);
  return { status, notes: [{ type: "Warning", reason: "InvalidSpec", message: why }] };
}

export function raiseJob(
  object: BenchmarkJob,
  job: ObservedJob,
  { observed, now }: { observed: ObservedBenchmark; now: Instant },
): Raised {
  const start = job.startTime === undefined ? {} : { startTime: job.startTime };
  const { ended } = job;
  if (ended === undefined) return raiseUnderway(object, start, { observed, now });
  const end = ended.at === undefined ? {} : { completionTime: ended.at };
  const { lastLogLine } = observed;
  const isEmpty = lastLogLine !== undefined && lastLogLine.answered === 0;
  const found = details(object, {
    ...resultsOf(object),
    ...(lastLogLine === undefined
      ? {}
      : {
          requests: lastLogLine.requests,
          answered: lastLogLine.answered,
          ...(lastLogLine.best === undefined ? {} : { best: lastLogLine.best }),
        }),
  });
  if (ended.how === "complete" && !isEmpty) {
    const message = `Results stored in ${planned(object)}`;
    const status = stamped(object, { state: "Completed", ...start, ...end, details: found }, now);
    return { status, notes: [{ type: "Normal", reason: "BenchmarkCompleted", message }] };
  }
  const failureMessage = failureOf(ended.message, observed);
  const status = stamped(object, { state: "Failed", ...start, ...end, failureMessage, details: found }, now);
  return { status, notes: [{ type: "Warning", reason: "BenchmarkFailed", message: failureMessage }] };
}

/** Only a pod that runs, or has run, measures: one that no node takes may wait for ever. */
function raiseUnderway(
  object: BenchmarkJob,
  start: Pick<Status, "startTime">,
  { observed, now }: { observed: ObservedBenchmark; now: Instant },
): Raised {
  const failure = findFailure(observed.pods) ?? observed.refused;
  const state = observed.pods.every(({ phase }) => phase === "Pending") ? "Pending" : "Running";
  if (failure === undefined) {
    const found = details(object, resultsOf(object));
    return { status: stamped(object, { state, ...start, details: found }, now), notes: [] };
  }
  const message = describe(failure);
  const found = details(object, {
    ...resultsOf(object),
    ...(state === "Pending" ? { waitingFor: message } : { trouble: message }),
  });
  const cause = failure.isPassing ? {} : { failureMessage: message };
  const status = stamped(object, { state, ...start, ...cause, details: found }, now);
  return { status, notes: [{ type: "Warning", reason: "PodNotRunning", message }] };
}

/** The cause behind the Job's own words: what the program said, or how its pod ended. */
function failureOf(reported: string, { lastLogLine, pods }: ObservedBenchmark): string {
  const found = findFailure(pods);
  // The Job is over: nothing is restarted any more.
  const failure = found === undefined ? undefined : { ...found, isPassing: undefined };
  // Of a log only the end is passed on: the tool prints its options at the beginning, keys among them.
  const end =
    failure?.lastLogLine === undefined ? undefined : { ...failure, lastLogLine: failure.lastLogLine.slice(-200) };
  const cause =
    lastLogLine?.failure ??
    (lastLogLine?.answered === 0 ? "No request succeeded" : undefined) ??
    (failure === undefined ? undefined : describe(end ?? failure));
  if (cause === undefined) return reported || "The Job failed";
  return reported === "" ? cause : `${reported}: ${cause}`;
}

const describe = (failure: Failure): string => formatDiagnosis(diagnose(failure, { paths: benchmarkPaths }));

const planned = (object: BenchmarkJob): string => {
  const { storageUri } = object.spec.outputLocation;
  return `${storageUri.replace(/\/+$/, "")}/${folderOf(object)}`;
};

const resultsOf = (object: BenchmarkJob): JsonObject => ({ results: planned(object) });

/** Facts for programs, in one line; the Job tells of which wish they are. */
const details = (object: BenchmarkJob, more: JsonObject): string => JSON.stringify({ job: jobNameOf(object), ...more });

/** The time of the last look changes with the state, not with every look. */
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
