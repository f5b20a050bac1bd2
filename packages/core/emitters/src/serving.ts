import type { ServingPlan } from "@trivium/domain";
import type { Desired } from "@trivium/reconcile";
import { emitClaim } from "./claim.ts";
import { emitConfigMap } from "./config-map.ts";
import { emitRole } from "./role.ts";
import { emitAlias } from "./traffic/alias.ts";
import { emitHttpRoute } from "./traffic/http-route.ts";
import { emitIngress } from "./traffic/ingress.ts";
import { emitService } from "./traffic/service.ts";
import { emitVirtualService } from "./traffic/virtual-service.ts";

/** Every object that a service consists of: what pods need, what runs, and what leads to it. */
export function emitServing(plan: ServingPlan): Desired[] {
  const { claims, configs = [], roles, addresses = [], aliases = [], routes } = plan;
  const { ingresses = [], virtualServices = [] } = plan;
  return [
    ...claims.map(emitClaim),
    ...configs.map(emitConfigMap),
    ...roles.flatMap(emitRole),
    ...addresses.map(emitService),
    ...aliases.map(emitAlias),
    ...routes.map(emitHttpRoute),
    ...ingresses.map(emitIngress),
    ...virtualServices.map(emitVirtualService),
  ];
}
