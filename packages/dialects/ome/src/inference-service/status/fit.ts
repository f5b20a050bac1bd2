import type { MemoryFit } from "@trivium/domain";
import { formatFit } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { say } from "./say.ts";

/** Whether the model fits into the memory where it is to run. What was found before it started stands while the spec is the same. */
export function fitConditions(service: InferenceService, fit: MemoryFit | undefined): DecidedCondition[] {
  if (fit === undefined || fit.fits === "unknown") return fitBefore(service);
  const message = formatFit(fit);
  return [
    fit.fits === "no"
      ? say("Fits", "False", { reason: "DoesNotFit", message })
      : say("Fits", "True", { reason: "Fits", message }),
  ];
}

function fitBefore({ metadata, status }: InferenceService): DecidedCondition[] {
  const before = status?.conditions?.find(({ type }) => type === "Fits");
  if (before?.observedGeneration === undefined || before.observedGeneration !== metadata.generation) return [];
  const { status: found, reason = "", message = "" } = before;
  return [say("Fits", found as "True" | "False", { reason, message })];
}
