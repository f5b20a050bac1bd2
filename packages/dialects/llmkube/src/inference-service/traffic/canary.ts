import type { CanaryPlan, RoutePlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { planCanary, type ServingAnnotations } from "@trivium/engines";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { canaryNamesOf, labelsOf } from "../names/service-names.ts";
import type { ObservedService } from "../observe.ts";
import type { ObservedRouting } from "../observed/routing.ts";

/** The route of a service, once a Gateway can take it. */
export const routeOf = ({ routing }: ObservedService): ObservedRouting | undefined =>
  routing?.served.is === "known" && routing.served.value ? routing : undefined;

/** Whether a changed spec is tried out beside the one that serves, and not rolled out. */
export const isTrial = ({ canaryPercent: percent }: ServingAnnotations, observed: ObservedService): boolean =>
  percent !== undefined && percent < 100 && routeOf(observed) !== undefined;

interface CanaryInput {
  readonly asked: ServingAnnotations;
  readonly template: string;
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
}

export function lowerCanary(
  service: InferenceService,
  { asked, template, workload, address }: CanaryInput,
  observed: ObservedService,
): CanaryPlan | undefined {
  if (!isTrial(asked, observed)) return undefined;
  const plan = planCanary({
    percent: asked.canaryPercent,
    workload,
    address,
    template,
    live: observed.deployment.is === "known" ? observed.deployment.value.template : undefined,
    observed: observed.routing?.canary,
    names: canaryNamesOf(service),
  });
  if (plan === undefined) return undefined;
  // Requests by model name go to the address of the service alone: only the route shares them.
  const { annotations: _, ...unlisted } = plan.address;
  // A port of the nodes belongs to one Service.
  const ports = unlisted.ports.map(({ nodePort: __, ...port }) => port);
  return { ...plan, address: { ...unlisted, type: "ClusterIP", ports } };
}

export const routePathOf = ({ metadata }: InferenceService): string => `/${metadata.namespace}/${metadata.name}`;

/** The path of a service on its Gateway. */
export function lowerRoutes(
  service: InferenceService,
  observed: ObservedService,
  { address, canary }: { readonly address: ServicePlan; readonly canary: CanaryPlan | undefined },
): RoutePlan[] {
  const routing = routeOf(observed);
  if (routing === undefined) return [];
  const own = [{ name: address.name, port: address.ports[0]?.port ?? 80, weight: 1 }];
  return [
    {
      name: service.metadata.name ?? "",
      labels: labelsOf(service),
      parent: { group: "gateway.networking.k8s.io", kind: "Gateway", ...routing.gateway },
      path: routePathOf(service),
      backends: canary?.backends ?? own,
    },
  ];
}
