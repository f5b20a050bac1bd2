import {
  emitAutoscaler,
  emitDeployment,
  emitKnativeService,
  emitLeaderWorkerSet,
  emitScaledObject,
  emitService,
} from "@trivium/emitters";
import { type Deployment, PodDisruptionBudget, Role, RoleBinding, ServiceAccount } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import type { CanaryPlan } from "./canary.ts";
import type { PodAccess } from "./component-parts.ts";
import type { ComponentPlan } from "./component-plan.ts";
import type { GroupComponent } from "./group-component.ts";
import type { RawComponent } from "./raw-component.ts";

/** Everything that a component consists of. */
export function componentChildren(plan: ComponentPlan): Desired[] {
  switch (plan.mode) {
    case "RawDeployment":
      return rawChildren(plan);
    case "MultiNode":
      return [emitLeaderWorkerSet(plan.group), emitService(plan.address), ...policies(plan, plan.address.labels)];
    case "Serverless":
      return [...accessChildren(plan.access, plan.serverless.labels), emitKnativeService(plan.serverless)];
  }
}

function rawChildren(plan: RawComponent): Desired[] {
  const { workload, address, access, canary } = plan;
  const deployment = rolled(emitDeployment(workload), plan);
  return [
    ...accessChildren(access, address.labels),
    // While a newer one is tried out, what is rolled out stays as it is.
    canary === undefined ? deployment : { ...deployment, keep: true },
    emitService(address),
    ...(canary === undefined ? [] : canaryChildren(canary, plan)),
    ...policies(plan, address.labels),
  ];
}

const canaryChildren = ({ workload, address }: CanaryPlan, plan: RawComponent): Desired[] => [
  rolled(emitDeployment(workload), plan),
  emitService(address),
];

function rolled(deployment: Desired<Deployment>, { strategy }: RawComponent): Desired {
  const { object } = deployment;
  return { ...deployment, object: { ...object, spec: { ...object.spec, strategy } } as Deployment };
}

type Texts = Readonly<Record<string, string>>;

/** Who keeps the right number of copies. */
function policies(
  { object: name, scaling, spared, disruption }: RawComponent | GroupComponent,
  labels: Texts,
): Desired[] {
  const budget: PodDisruptionBudget = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, labels: { ...labels } },
    spec: disruption,
  };
  return [
    ...(scaling?.is === "hpa" ? [emitAutoscaler(scaling.plan)] : []),
    ...(scaling?.is === "keda" && !scaling.waits ? [emitScaledObject(scaling.plan)] : []),
    ...(spared === undefined ? [] : [{ ...emitScaledObject(spared), keep: true as const }]),
    { kind: PodDisruptionBudget, object: budget },
  ];
}

/** A router finds the pods that it spreads requests over by itself. */
function accessChildren(access: PodAccess | undefined, labels: Texts): Desired[] {
  if (access === undefined) return [];
  const { name } = access;
  const metadata = { name, labels: { ...labels } };
  const account: ServiceAccount = { apiVersion: "v1", kind: "ServiceAccount", metadata };
  const role: Role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata,
    rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] }],
  };
  const binding: RoleBinding = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name: access.account }],
  };
  return [
    ...(access.isOurs ? [{ kind: ServiceAccount, object: account }] : []),
    { kind: Role, object: role },
    { kind: RoleBinding, object: binding },
  ];
}
