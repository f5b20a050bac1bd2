import { isObject, type JsonObject } from "@trivium/std";
import { jobNameOf } from "../names/job-name.ts";
import type { BenchmarkJob } from "../pod/check-spec.ts";

/** Facts for programs, in one line; `job` says which request they belong to. */
export const detailsOf = (object: BenchmarkJob, more: JsonObject): string =>
  JSON.stringify({ job: jobNameOf(object), ...more });

/** Whether the status was written by another operator of this API, which leaves no details. */
const isOfUpstream = ({ status }: BenchmarkJob): boolean => (status?.details ?? "") === "";

/** Whether a Job that another operator created under the name of the benchmark is the run of this very request. */
export function mayRunElsewhere(object: BenchmarkJob): boolean {
  if (isOfUpstream(object)) return true;
  const { job, run } = parseDetails(object.status?.details ?? "") ?? {};
  return job === jobNameOf(object) && run === object.metadata.name;
}

/** Whether the status has the result of this very request. */
export function wasReported(object: BenchmarkJob): boolean {
  const { state, details = "" } = object.status ?? {};
  if (state !== "Completed" && state !== "Failed") return false;
  return isOfUpstream(object) || parseDetails(details)?.job === jobNameOf(object);
}

/** What a benchmark waits for before it can start. */
export function parseWaiting(details: string): string | undefined {
  const waitingFor = parseDetails(details)?.waitingFor;
  return typeof waitingFor === "string" ? waitingFor : undefined;
}

function parseDetails(text: string): JsonObject | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
