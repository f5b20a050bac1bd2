import { describeCanary } from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import { servicePaths } from "../../field-paths.ts";
import type { ServiceReport } from "../health/service-report.ts";

const type = "CanaryReady";

/** How the newest template gets on, while it is tried out. */
export function canaryConditions({ parts, canary, observed, now }: ServiceReport): DecidedCondition[] {
  if (parts.canaryFault !== undefined)
    return [{ type, status: "False", reason: "CanaryUnsupported", message: parts.canaryFault }];
  if (canary === undefined) return [];
  return [{ type, ...describeCanary(canary, observed.canary?.pods ?? [], { paths: servicePaths, now }) }];
}
