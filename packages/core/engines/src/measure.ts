import type { Measured, MeasurementIntent, MeasurementRequest } from "@trivium/domain";
import { reportRun } from "./benchmark/report-run.ts";

/**
 * The steps from a benchmark that is requested to its report, the same for every dialect: a run that exists decides alone, a result that
 * was reported stands, and before there is a run its target has to be ready.
 */
export function measure<R extends string>({ run, isOver, request, paths }: MeasurementIntent<R>): Measured<R> {
  if (run !== undefined) return reportRun(run, paths);
  // The Job of a benchmark that is over may be deleted; that is no reason to measure again.
  if (isOver) return { is: "over" };
  return planRun(request);
}

function planRun<R extends string>(request: MeasurementRequest<R>): Measured<R> {
  switch (request.is) {
    case "faulty":
      return { is: "blocked", message: request.message };
    case "waiting": {
      const { is: _, ...target } = request;
      return { is: "waiting", target };
    }
    case "runnable":
      return { is: "planned", job: request.job };
  }
}
