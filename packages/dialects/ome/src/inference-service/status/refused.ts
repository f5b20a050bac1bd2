import { type RefusedChild, splitRefusals } from "@trivium/engines";
import { type DecidedCondition, findCondition, replaceConditions } from "@trivium/kube";
import type { Refusal } from "@trivium/reconcile";
import type { Instant } from "@trivium/std";
import { componentPaths } from "../../field-paths.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ComponentName } from "../roles/component.ts";
import { datedFailure } from "./model-status.ts";
import { conditionOf, say } from "./say.ts";
import type { ServiceStatus } from "./service-status.ts";

/** A child that the API server refuses is why a component does not come up; what ran before may still answer. */
export function raiseRefused(
  service: InferenceService,
  status: ServiceStatus,
  refusals: readonly Refusal[],
  now: Instant,
): ServiceStatus {
  const component = componentIn(refusals);
  const { vital, beside } = splitRefusals(refusals, componentPaths(component));
  const changes = [
    ...(vital === undefined ? [] : causedBy(vital, { component, status })),
    ...(beside === undefined ? [] : [say("ScalingReady", "False", { reason: "NotScaled", message: beside.message })]),
  ];
  const { generation } = service.metadata;
  const dated = changes.map((one) => (generation === undefined ? one : { ...one, observedGeneration: generation }));
  const conditions = replaceConditions(status.conditions, dated as NonNullable<ServiceStatus["conditions"]>);
  if (vital === undefined) return { ...status, conditions };
  const info = { location: vital.child.name, reason: "RuntimeUnhealthy", message: vital.message } as const;
  return {
    ...status,
    conditions,
    modelStatus: {
      ...status.modelStatus,
      transitionStatus: "BlockedByFailedLoad",
      lastFailureInfo: datedFailure(service, info, now),
    },
  };
}

const ways = ["Ingress", "HTTPRoute", "VirtualService"];

interface Caused {
  readonly component: ComponentName;
  readonly status: ServiceStatus;
}

function causedBy({ child, message, isTaken }: RefusedChild, { component, status }: Caused): DecidedCondition[] {
  if (ways.includes(child.kind)) {
    const refused = { reason: "RouteRefused", message };
    return [say("Ready", "False", refused), say("IngressReady", "False", refused)];
  }
  const failed = { reason: "ComponentFailed", message };
  const type = conditionOf[component];
  // What ran before answers, unless another owner's object has its name.
  const isUp = !isTaken && findCondition(status.conditions, type)?.status === "True";
  return [say("Ready", "False", failed), ...(isUp ? [] : [say(type, "False", failed)])];
}

/** Children are named after the component that they belong to. */
function componentIn([first]: readonly Refusal[]): ComponentName {
  const name = first?.child.name ?? "";
  return /-decoder\b/.test(name) ? "decoder" : /-router\b/.test(name) ? "router" : "engine";
}
