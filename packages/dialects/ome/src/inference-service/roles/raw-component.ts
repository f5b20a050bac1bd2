import type { CanaryPlan, WorkloadPlan } from "@trivium/domain";
import type { api } from "@trivium/kube";
import { objectNameOf, selectorOf } from "../names/labels.ts";
import { planPod } from "../pod/pod-plan.ts";
import { scalerOf } from "../scaling/autoscaler-class.ts";
import { canaryOf, canarySettingOf, whyUntried } from "./canary.ts";
import {
  accessOf,
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
import { boundsOf, replicasOf } from "./replicas.ts";

/** A component that runs as a Deployment. */
export interface RawComponent extends ComponentParts, ComponentPolicies {
  readonly mode: "RawDeployment";
  readonly workload: WorkloadPlan;
  readonly strategy: api.DeploymentStrategy;
  /** What tries out the newest template, while what ran before goes on. */
  readonly canary?: CanaryPlan | undefined;
  /** What requests the canary, for people. */
  readonly canarySetting: string;
}

const defaultStrategy: api.DeploymentStrategy = {
  type: "RollingUpdate",
  rollingUpdate: { maxUnavailable: 0, maxSurge: 1 },
};

export function planRaw(input: ComponentInput): Planned<RawComponent> {
  const { service, component, spec, live } = input;
  const planned = planPod(podInputOf(input));
  if (planned.is === "faulty") return planned;
  const { pod, main, ignored } = planned;
  const name = objectNameOf(service, component);
  const isStopped = input.annotations.isStopped === true;
  const target = { apiVersion: "apps/v1", kind: "Deployment", name };
  const kept = planPolicies(input, isStopped ? undefined : { target, main });
  if (kept.is === "faulty") return kept;
  const bounds = boundsOf(component, spec);
  const workload: WorkloadPlan = {
    name,
    labels: workloadLabelsOf(input),
    annotations: ownedAnnotationsOf(input, kept.policies.scaling),
    selector: selectorOf(service, component),
    pod,
    replicas: isStopped ? 0 : replicasOf(bounds, spec, live, scalerOf(service, spec)),
    update: "roll",
    history: 10,
  };
  const address = planAddress(input, main);
  const canary = isStopped ? undefined : canaryOf(input, { workload, address });
  const plan: RawComponent = {
    mode: "RawDeployment",
    name: component,
    object: name,
    workload,
    strategy: spec.deploymentStrategy ?? defaultStrategy,
    address,
    replicas: { ...bounds, current: workload.replicas },
    ...kept.policies,
    ...whyUntried(input),
    canarySetting: canarySettingOf(input),
    timeoutSeconds: spec.timeoutSeconds,
    access: accessOf(input),
    ...(canary === undefined ? {} : { canary, backends: canary.backends }),
    warnings: concurrencyWarnings(input),
    ignored,
  };
  return { is: "planned", plan };
}
