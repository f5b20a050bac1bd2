import type { WorkloadPlan } from "@trivium/domain";
import type { api, PodDisruptionBudget } from "@trivium/kube";
import { type CanaryPlan, planCanary, whyUntried } from "./canary.ts";
import {
  accessOf,
  type ComponentParts,
  type ComponentQuestion,
  componentLabelsOf,
  planAddress,
  podQuestionOf,
  workloadAnnotationsOf,
} from "./component-parts.ts";
import type { PlannedComponent } from "./component-plan.ts";
import { objectNameOf, selectorOf } from "./labels.ts";
import { planPod } from "./pod-plan.ts";
import { boundsOf, replicasOf } from "./replicas.ts";
import { scalerOf } from "./scaling/autoscaler-class.ts";
import { type PlannedScaling, planScaling } from "./scaling/plan-scaling.ts";

export type Scaling = Extract<PlannedScaling, { is: "hpa" | "keda" }>;
export type Disruption = NonNullable<PodDisruptionBudget["spec"]>;

/** A component that runs as a Deployment. */
export interface RawComponent extends ComponentParts {
  readonly mode: "RawDeployment";
  readonly workload: WorkloadPlan;
  readonly strategy: api.DeploymentStrategy;
  readonly scaling?: Scaling | undefined;
  readonly disruption: Disruption;
  /** What tries out the newest template, while what ran before goes on. */
  readonly canary?: CanaryPlan | undefined;
}

export function planRaw(question: ComponentQuestion): PlannedComponent {
  const { service, component, spec, live } = question;
  const planned = planPod(podQuestionOf(question));
  if (planned.is === "faulty") return planned;
  const { pod, main } = planned;
  const name = objectNameOf(service, component);
  const bounds = boundsOf(component, spec);
  const labels = componentLabelsOf(question);
  const scaling = planScaling({
    ...question,
    bounds,
    labels,
    target: { apiVersion: "apps/v1", kind: "Deployment", name },
    measured: measuredOf(question, main),
    usual: question.configuration?.keda,
  });
  if (scaling.is === "faulty") return scaling;
  const workload: WorkloadPlan = {
    name,
    labels,
    annotations: workloadAnnotationsOf(question, scaling.is),
    selector: selectorOf(service, component),
    pod,
    replicas: replicasOf(bounds, spec, live, scalerOf(service, spec)),
    update: "roll",
    history: 10,
  };
  const address = planAddress(question, main);
  const split = planCanary(question, { workload, address });
  const plan: RawComponent = {
    mode: "RawDeployment",
    name: component,
    object: name,
    workload,
    strategy: spec.deploymentStrategy ?? { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    address,
    replicas: workload.replicas,
    ...scaledBy(scaling),
    disruption: disruptionOf(question),
    ...whyUntried(question),
    access: accessOf(question),
    ...(split === undefined ? {} : { canary: split, backends: split.backends }),
    warnings: [],
  };
  return { is: "planned", plan };
}

export const measuredOf = ({ service, component }: ComponentQuestion, main: api.Container) => ({
  service: { name: service.metadata.name ?? "", namespace: service.metadata.namespace ?? "" },
  component,
  object: objectNameOf(service, component),
  main,
});

/** What scales, or why nothing does. */
export function scaledBy(scaling: Exclude<PlannedScaling, { is: "faulty" }>): {
  readonly scaling?: Scaling;
  readonly unscaled?: string;
} {
  if (scaling.is !== "none") return { scaling };
  return scaling.why === undefined ? {} : { unscaled: scaling.why };
}

export function disruptionOf({ service, component, spec }: ComponentQuestion): Disruption {
  const { minAvailable, maxUnavailable } = spec;
  return {
    selector: { matchLabels: selectorOf(service, component) },
    ...(minAvailable === undefined ? { maxUnavailable: maxUnavailable ?? 1 } : { minAvailable }),
  };
}
