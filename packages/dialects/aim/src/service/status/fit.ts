import { formatFit } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { ServiceReport } from "../health/service-report.ts";

const type = "Fits";

/** Whether the model fits into the memory where it is to run. What was found before it started stands while the spec is the same. */
export function fitConditions({ service, fit }: ServiceReport): DecidedCondition[] {
  if (fit === undefined || fit.fits === "unknown") return fitBefore(service);
  const message = formatFit(fit);
  return [
    fit.fits === "no"
      ? { type, status: "False", reason: "DoesNotFit", message }
      : { type, status: "True", reason: "Fits", message },
  ];
}

function fitBefore({ metadata, status }: ServiceReport["service"]): DecidedCondition[] {
  const before = status?.conditions?.find((one) => one.type === type);
  if (before === undefined || before.observedGeneration !== metadata.generation) return [];
  return [{ type, status: before.status, reason: before.reason, message: before.message }];
}
