import type { ServingPlan } from "@trivium/domain";
import type { Desired } from "@trivium/reconcile";
import { emitAlias } from "./alias.ts";
import { emitClaim } from "./claim.ts";
import { emitConfigMap } from "./config-map.ts";
import { emitHttpRoute } from "./http-route.ts";
import { emitIngress } from "./ingress.ts";
import { emitRole } from "./role.ts";
import { emitService } from "./service.ts";
import { emitVirtualService } from "./virtual-service.ts";

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
