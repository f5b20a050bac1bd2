import type { MemoryFit } from "@trivium/domain";
import { findFit, reportFit } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { say } from "./say.ts";

export interface FitInput {
  readonly fit: MemoryFit | undefined;
  /** Why nothing can load it, where no sum is needed to see that. */
  readonly misfit?: string | undefined;
  /** Why the sum is unknown, where it is. */
  readonly unsized?: string | undefined;
  readonly isBlocked: boolean;
  readonly isServing: boolean;
}

/** Whether the model fits into the memory where it is to run. What was found before it started stands while the spec is the same. */
export function fitConditions(
  service: InferenceService,
  { fit, misfit, unsized, isBlocked, isServing }: FitInput,
): DecidedCondition[] {
  if (misfit !== undefined) return [say("Fits", "False", { reason: "DoesNotFit", message: misfit })];
  const before = unsized === undefined || isServing ? findFit(service) : undefined;
  const found = reportFit(fit, { isBlocked, isServing, before });
  if (found !== undefined) return [say("Fits", found.status, found)];
  return unsized === undefined ? [] : [say("Fits", "Unknown", { reason: "SizeUnknown", message: unsized })];
}
