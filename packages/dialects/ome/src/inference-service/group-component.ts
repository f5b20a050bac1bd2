import type { GroupPlan } from "@trivium/domain";
import { componentLabel, labelValueOf, serviceLabel } from "../names.ts";
import { whyUntried } from "./canary.ts";
import type { ComponentSpec } from "./component.ts";
import {
  type ComponentParts,
  type ComponentQuestion,
  componentLabelsOf,
  planAddress,
  podQuestionOf,
  workloadAnnotationsOf,
} from "./component-parts.ts";
import type { PlannedComponent } from "./component-plan.ts";
import { groupNameOf, objectNameOf } from "./labels.ts";
import { planPod } from "./pod-plan.ts";
import { groupSizeOf } from "./pod-role.ts";
import { type Disruption, disruptionOf, measuredOf, type Scaling, scaledBy } from "./raw-component.ts";
import { withRayPorts } from "./ray.ts";
import { boundsOf, replicasOf, unbounded } from "./replicas.ts";
import { autoscalerClassOf, scalerOf } from "./scaling/autoscaler-class.ts";
import { type PlannedScaling, planScaling } from "./scaling/plan-scaling.ts";

/** A component of which one copy spans several nodes. */
export interface GroupComponent extends ComponentParts {
  readonly mode: "MultiNode";
  readonly group: GroupPlan;
  readonly scaling?: Scaling | undefined;
  readonly disruption: Disruption;
}

/** Only leaders answer. */
const leaderSelector = { "leaderworkerset.sigs.k8s.io/worker-index": "0" };

export function planGroup(question: ComponentQuestion): PlannedComponent {
  const { service, component, spec, live } = question;
  const isRay = question.mode === "MultiNodeRayVLLM";
  const pods = { ...podQuestionOf(question), isRay };
  const leader = planPod({ ...pods, role: "leader" });
  if (leader.is === "faulty") return leader;
  const worker = planPod({ ...pods, role: "worker" });
  if (worker.is === "faulty") return worker;
  const name = groupNameOf(objectNameOf(service, component));
  const labels = componentLabelsOf(question);
  const bounds = isScaled(question) ? boundsOf(component, spec) : unbounded(boundsOf(component, spec));
  const target = { apiVersion: "leaderworkerset.x-k8s.io/v1", kind: "LeaderWorkerSet", name };
  const measured = measuredOf(question, leader.main);
  const scaling: PlannedScaling = isScaled(question)
    ? planScaling({ ...question, bounds, labels, target, measured, usual: question.configuration?.keda })
    : { is: "none" };
  if (scaling.is === "faulty") return scaling;
  const group: GroupPlan = {
    name,
    labels,
    annotations: workloadAnnotationsOf(question, scaling.is),
    leader: leader.pod,
    worker: worker.pod,
    size: groupSizeOf(spec),
    replicas: replicasOf(bounds, spec, live, scalerOf(service, spec)),
  };
  const selector = {
    [serviceLabel]: labelValueOf(service.metadata.name ?? ""),
    [componentLabel]: component,
    ...leaderSelector,
  };
  const address = { ...planAddress(question, leader.main), selector };
  const plan: GroupComponent = {
    mode: "MultiNode",
    name: component,
    object: objectNameOf(service, component),
    group,
    address: isRay ? withRayPorts(address) : address,
    replicas: group.replicas,
    ...scaledBy(scaling),
    disruption: disruptionOf(question),
    ...whyUntried(question),
    warnings: [],
  };
  return { is: "planned", plan };
}

/** A group takes several machines, so there is a second one only where somebody said how many there may be, or who decides. */
function isScaled({ service, spec }: ComponentQuestion): boolean {
  const wish = autoscalerClassOf(service, spec);
  return spec.maxReplicas !== undefined || wish.is === "unheard" || wish.by !== "nobody" || isMeasured(spec);
}

const isMeasured = ({ scaleMetric, scaleTarget }: ComponentSpec): boolean =>
  scaleMetric !== undefined || scaleTarget !== undefined;
