import type { HealthReport, MemoryFit } from "@trivium/domain";
import { type FitReport, findFit, reportFit } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Diagnosis } from "../health/diagnose.ts";
import type { Blocked } from "../selection/lowered.ts";

export interface FitInput {
  readonly fit: MemoryFit | undefined;
  readonly cause: Diagnosis | undefined;
  readonly health: HealthReport;
}

/** Whether a planned service fits; nothing where that could not be computed and nothing serves yet. */
export function reportServingFit(service: InferenceService, { fit, cause, health }: FitInput): FitReport | undefined {
  // That it fits what is requested does not help where no node has so much.
  const isBeyondNodes = cause?.reason === "NoNodeFits" && health.failure?.lacking?.includes("memory") === true;
  if (isBeyondNodes && fit?.unmet === undefined) return undefined;
  return reportFit(fit, { isBlocked: false, isServing: health.ready > 0, before: findFit(service) });
}

export const reportBlockedFit = (service: InferenceService, { fit, reason }: Blocked): FitReport | undefined =>
  reportFit(fit, { isBlocked: reason === "DoesNotFit", isServing: false, before: findFit(service) });

export const fitConditions = (found: FitReport | undefined): DecidedCondition[] =>
  found === undefined ? [] : [{ type: "Fits", ...found }];
