import { isObject, type JsonObject } from "@trivium/std";
import { jobNameOf } from "../names/job-name.ts";
import type { BenchmarkJob } from "../pod/check-spec.ts";

/** Facts for programs, in one line; the name of the Job says which request they belong to. */
export const detailsOf = (object: BenchmarkJob, more: JsonObject): string =>
  JSON.stringify({ job: jobNameOf(object), ...more });

/** Whether the status has the result of this very request. */
export function wasReported(object: BenchmarkJob): boolean {
  const { state, details = "" } = object.status ?? {};
  return (state === "Completed" || state === "Failed") && parseDetails(details)?.job === jobNameOf(object);
}

function parseDetails(text: string): JsonObject | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return isObject(found) ? found : undefined;
  } catch {
    return undefined;
  }
}
