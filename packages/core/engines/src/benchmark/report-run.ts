import type { FieldPaths, Measured, RunObserved } from "@trivium/domain";
import { diagnose, findFailure, formatDiagnosis } from "../health/index.ts";

/** What a run comes to. Only a pod that runs, or has run, measures: one that no node takes may wait for ever. */
export function reportRun(run: RunObserved, paths: FieldPaths): Measured<never> {
  const { ended, summary, pods } = run;
  if (ended === undefined) {
    const failure = findFailure(pods) ?? run.refused;
    const isRunning = !pods.every(({ phase }) => phase === "Pending");
    if (failure === undefined) return { is: "underway", isRunning };
    const message = formatDiagnosis(diagnose(failure, { paths }));
    return { is: "underway", isRunning, trouble: { message, isPassing: failure.isPassing === true } };
  }
  if (ended.how === "complete" && summary?.answered !== 0) return { is: "completed", summary };
  return { is: "failed", message: describeFailure(ended.message, run, paths), summary };
}

/** The cause behind the message of the Job: what the load generator reported, or how its pod ended. */
function describeFailure(reported: string, { summary, pods }: RunObserved, paths: FieldPaths): string {
  const cause =
    summary?.failure ?? (summary?.answered === 0 ? "No request succeeded" : undefined) ?? describeEnd(pods, paths);
  if (cause === undefined) return reported || "The Job failed";
  return reported === "" ? cause : `${reported}: ${cause}`;
}

function describeEnd(pods: RunObserved["pods"], paths: FieldPaths): string | undefined {
  const failure = findFailure(pods);
  if (failure === undefined) return undefined;
  const { lastLogLine } = failure;
  // Only the end of a log is passed on: tools print their options at the beginning, keys among them.
  const end = lastLogLine === undefined ? {} : { lastLogLine: lastLogLine.slice(-200) };
  // The Job is over: nothing is restarted any more.
  return formatDiagnosis(diagnose({ ...failure, ...end, isPassing: undefined }, { paths }));
}
