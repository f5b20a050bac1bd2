import type { GroupPlan } from "@trivium/domain";
import { componentLabel, labelValueOf, serviceLabel } from "../../names.ts";
import { groupNameOf, objectNameOf } from "../names/labels.ts";
import { planPod } from "../pod/pod-plan.ts";
import { groupSizeOf } from "../pod/pod-role.ts";
import { withRayPorts } from "../pod/ray.ts";
import { autoscalerClassOf, scalerOf } from "../scaling/autoscaler-class.ts";
import { whyUntried } from "./canary.ts";
import {
  type ComponentInput,
  type ComponentParts,
  concurrencyWarnings,
  ownedAnnotationsOf,
  type Planned,
  planAddress,
  podInputOf,
  workloadLabelsOf,
} from "./component-parts.ts";
import { type ComponentPolicies, planPolicies } from "./component-policies.ts";
import { type Bounds, boundsOf, replicasOf, unbounded } from "./replicas.ts";

/** A component of which one copy spans several nodes. */
export interface GroupComponent extends ComponentParts, ComponentPolicies {
  readonly mode: "MultiNode";
  readonly group: GroupPlan;
}

export function planGroup(input: ComponentInput): Planned<GroupComponent> {
  const { service, component, spec, live } = input;
  const isRay = input.mode === "MultiNodeRayVLLM";
  const pods = { ...podInputOf(input), isRay };
  const leader = planPod({ ...pods, role: "leader" });
  if (leader.is === "faulty") return leader;
  const worker = planPod({ ...pods, role: "worker" });
  if (worker.is === "faulty") return worker;
  const object = objectNameOf(service, component);
  const name = groupNameOf(object);
  const target = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet", name };
  const isStopped = input.annotations.isStopped === true;
  const kept = planPolicies(input, isScaled(input) && !isStopped ? { target, main: leader.main } : undefined);
  if (kept.is === "faulty") return kept;
  const bounds = groupBounds(input);
  const group: GroupPlan = {
    name,
    labels: workloadLabelsOf(input),
    annotations: ownedAnnotationsOf(input, kept.policies.scaling),
    leader: leader.pod,
    worker: worker.pod,
    size: groupSizeOf(spec),
    replicas: isStopped ? 0 : replicasOf(bounds, spec, live, scalerOf(service, spec)),
  };
  const address = { ...planAddress(input, leader.main), selector: leaderSelector(input) };
  const plan: GroupComponent = {
    mode: "MultiNode",
    name: component,
    object,
    group,
    address: isRay ? withRayPorts(address) : address,
    replicas: { ...bounds, current: group.replicas },
    ...kept.policies,
    ...whyUntried(input),
    timeoutSeconds: spec.timeoutSeconds,
    warnings: concurrencyWarnings(input),
    ignored: [...leader.ignored, ...worker.ignored],
  };
  return { is: "planned", plan };
}

/** Only leaders answer, and only this component's. */
const leaderSelector = ({ service, component }: ComponentInput): Record<string, string> => ({
  [serviceLabel]: labelValueOf(service.metadata.name ?? ""),
  [componentLabel]: component,
  "leaderworkerset.sigs.k8s.io/worker-index": "0",
});

/**
 * A group takes several machines, so there is a second one only where somebody asked for it: by an autoscaler, a metric, or a maximum above
 * the minimum in the service. The maximum of a runtime is a limit and no request.
 */
function isScaled({ service, component, spec }: ComponentInput): boolean {
  const { scaleMetric, scaleTarget } = spec;
  const request = autoscalerClassOf(service, spec);
  if (request.is === "unknown" || request.by !== "nobody") return true;
  if (scaleMetric !== undefined || scaleTarget !== undefined) return true;
  const max = service.spec[component]?.maxReplicas;
  return max !== undefined && max > boundsOf(component, spec).min;
}

function groupBounds(input: ComponentInput): Bounds {
  const bounds = boundsOf(input.component, input.spec);
  return isScaled(input) ? bounds : unbounded(bounds);
}
