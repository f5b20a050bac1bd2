import type { CanaryPlan, ServicePlan, WorkloadPlan } from "@trivium/domain";
import { describeUnsharedCanary, planCanary, type ServingAnnotations, servingAnnotations } from "@trivium/engines";
import { templateAnnotation } from "../names/labels.ts";
import { canaryNamesOf, type Service } from "../names/names.ts";
import { isOnKServe, type ObservedService } from "../observed/observed-service.ts";
import type { ServiceParts } from "../roles/service-parts.ts";

interface CanaryInput {
  readonly service: Service;
  readonly annotations: ServingAnnotations;
  readonly hasRoute: boolean;
  readonly workload: WorkloadPlan;
  readonly address: ServicePlan;
}

/** The newest template beside the one that serves, where a route can share the requests between them. */
export function lowerCanary(input: CanaryInput, observed: ObservedService): CanaryPlan | undefined {
  const { service, annotations, hasRoute, workload, address } = input;
  if (!hasRoute) return undefined;
  const plan = planCanary({
    percent: annotations.canaryPercent,
    workload,
    address,
    template: workload.pod.annotations[templateAnnotation] ?? "",
    live: observed.deployment.is === "known" ? observed.deployment.value.template : undefined,
    observed: observed.canary,
    names: canaryNamesOf(service),
  });
  if (plan === undefined) return undefined;
  // Requests by model name go to the address of the service alone: only the route shares them.
  const { annotations: _, ...unlisted } = plan.address;
  return { ...plan, address: unlisted };
}

/** Why the annotation has no effect. */
export function canaryFault(
  { annotations, routes }: Pick<ServiceParts, "annotations" | "routes">,
  observed: ObservedService,
): string | undefined {
  const { canaryPercent: percent } = annotations;
  if (percent === undefined || percent >= 100) return undefined;
  const annotation = servingAnnotations.canaryPercent;
  if (isOnKServe(observed))
    return `Annotation ${annotation} has no effect: KServe rolls out new pods itself; remove it, or run the operator with --aim-backend deployment`;
  if (routes.length === 0) return describeUnsharedCanary("enable spec.routing, or remove the annotation");
  return undefined;
}
