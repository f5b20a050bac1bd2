import { gatewayDuration } from "@trivium/kube";
import { type EntryComponent, isServerless } from "./component.ts";
import type { EntryPlan } from "./entry-plan.ts";

/** How long a request to a component can take, as a rule of an HTTPRoute says it. */
export const timeoutOf = ({ timeoutSeconds }: EntryComponent): string | undefined =>
  timeoutSeconds === undefined ? undefined : gatewayDuration(`${timeoutSeconds}s`);

/** HTTPRoutes and Knative end requests that take too long; nothing else does. */
export function timeoutWarnings(components: readonly EntryComponent[], plan: EntryPlan): string[] {
  const timed = components.filter((one) => one.timeoutSeconds !== undefined && !isServerless(one));
  if (timed.length === 0 || (plan.is === "open" && plan.by === "HTTPRoute")) return [];
  const why =
    plan.is === "open"
      ? "an Ingress has no timeout; set enableGatewayAPI to true, or use an annotation of the ingress controller"
      : "the service has no route; enable ingress creation with enableGatewayAPI";
  return [`timeoutSeconds of ${timed.map(({ name }) => name).join(" and ")} is not enforced: ${why}`];
}
