import { splitRefusals } from "@trivium/engines";
import type { Refusal } from "@trivium/reconcile";
import { benchmarkPaths } from "../../field-paths.ts";
import type { BenchmarkJob } from "../pod/check-spec.ts";
import type { Status } from "../raise.ts";

/** Failed, and still retried: the details name no Job, so this is not the last word on the benchmark. */
export function raiseRefusedJob(_: BenchmarkJob, status: Status, refusals: readonly Refusal[]): Status {
  const refused = splitRefusals(refusals, benchmarkPaths).vital;
  if (refused === undefined) return status;
  const details = JSON.stringify({ refused: `${refused.child.kind} ${refused.child.name}` });
  return { ...status, state: "Failed", failureMessage: refused.message, details };
}
