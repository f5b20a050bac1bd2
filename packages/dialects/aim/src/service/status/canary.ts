import { describeCanary } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import { servicePaths } from "../../field-paths.ts";
import type { ServiceReport } from "../health/service-report.ts";

const type = "CanaryReady";

/** How the newest template gets on, while it is tried out. */
export function canaryConditions({ parts, canary, now }: ServiceReport): DecidedCondition[] {
  if (parts.canaryFault !== undefined)
    return [{ type, status: "False", reason: "CanaryUnsupported", message: parts.canaryFault }];
  if (canary === undefined) return [];
  return [{ type, ...describeCanary(canary, { paths: servicePaths, now }) }];
}
