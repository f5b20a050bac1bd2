import { diagnose, findFailure, formatDiagnosis, servingAnnotations } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import { servicePaths } from "../../field-paths.ts";
import type { ServiceReport } from "../health/service-report.ts";

const type = "CanaryReady";

/** How the newest template gets on, while it is tried out. */
export function canaryConditions({ parts, canary, observed, now }: ServiceReport): DecidedCondition[] {
  if (parts.canaryFault !== undefined)
    return [{ type, status: "False", reason: "CanaryUnsupported", message: parts.canaryFault }];
  if (canary === undefined) return [];
  const { name } = canary.workload;
  if (canary.isUp) {
    const remedy = `remove annotation ${servingAnnotations.canaryPercent} to roll it out`;
    const message = `${canary.percent}% of the requests go to Deployment ${name}; ${remedy}`;
    return [{ type, status: "True", reason: "CanaryServes", message }];
  }
  const unready = (observed.canary?.pods ?? []).filter(({ isReady }) => !isReady);
  const failure = findFailure(unready, undefined, now);
  const why =
    failure === undefined ? "its pods are not ready yet" : formatDiagnosis(diagnose(failure, { paths: servicePaths }));
  return [
    { type, status: "False", reason: "CanaryNotAvailable", message: `No requests go to Deployment ${name}: ${why}` },
  ];
}
