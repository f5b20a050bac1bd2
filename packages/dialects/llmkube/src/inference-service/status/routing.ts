import {
  describeCanary,
  describeUnsharedCanary,
  diagnoseRoute,
  formatDiagnosis,
  servingAnnotations,
} from "@trivium/engines";
import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { servicePaths } from "../../field-paths.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import type { Intended } from "../selection/lowered.ts";
import { routePathOf } from "../traffic/canary.ts";

/** Whether the route leads to the service; nothing where no Gateway is named. */
export function describeRoute(service: InferenceService, { routing }: ObservedService): DecidedCondition[] {
  if (routing === undefined) return [];
  const type = "RouteReady";
  const { gateway, served, parents, isGatewayMissing } = routing;
  if (served.is === "known" && !served.value) {
    const message =
      "The Gateway API is not installed (no kind HTTPRoute), so the service has no route; install it, or remove annotation trivium.dev/gateway";
    return [{ type, status: "False", reason: "GatewayAPINotInstalled", message }];
  }
  const parent = `Gateway ${gateway.namespace}/${gateway.name}`;
  const outcome = diagnoseRoute(
    {
      subject: `HTTPRoute ${service.metadata.name}`,
      parents: parents.is === "known" ? parents.value : [],
      parent,
      isParentMissing: isGatewayMissing === true,
    },
    servicePaths,
  );
  if (outcome.is === "accepted") {
    const message = `${parent} serves it at ${routePathOf(service)}`;
    return [{ type, status: "True", reason: "RouteAccepted", message }];
  }
  const reason = outcome.is === "refused" ? "RouteRefused" : "RoutePending";
  return [{ type, status: "False", reason, message: formatDiagnosis(outcome.diagnosis) }];
}

/** How the newest spec gets on while it is tried out, or why it is not. */
export function describeTrial({ asked, intent }: Pick<Intended, "asked" | "intent">, now: Instant): DecidedCondition[] {
  const unsupported = canaryFault({ asked, intent });
  if (unsupported !== undefined)
    return [{ type: "CanaryReady", status: "False", reason: "CanaryUnsupported", message: unsupported }];
  const canary = intent.roles[0]?.canary;
  if (canary === undefined) return [];
  return [{ type: "CanaryReady", ...describeCanary(canary, { paths: servicePaths, now }) }];
}

/** Why the annotation has no effect. */
function canaryFault({ asked, intent }: Pick<Intended, "asked" | "intent">): string | undefined {
  const { canaryPercent: percent } = asked;
  if (percent === undefined || percent >= 100 || intent.routes.length > 0) return undefined;
  return describeUnsharedCanary(`set annotation ${servingAnnotations.gateway} to a Gateway, or remove the annotation`);
}

export function canaryNotes(intended: Pick<Intended, "asked" | "intent">): Note[] {
  const message = canaryFault(intended);
  return message === undefined ? [] : [{ type: "Warning", reason: "CanaryUnsupported", message }];
}
