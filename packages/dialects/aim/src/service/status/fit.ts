import { findFit, reportFit } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { ServiceReport } from "../health/service-report.ts";

/** Whether the model fits into the memory where it is to run. What was found before it started stands while the spec is the same. */
export function fitConditions({ service, fit, misfit, health }: ServiceReport): DecidedCondition[] {
  const isServing = health !== undefined && health.ready > 0;
  const found = reportFit(fit, { isBlocked: misfit !== undefined, isServing, before: findFit(service) });
  return found === undefined ? [] : [{ type: "Fits", ...found }];
}
