import type { PlannedRole, RolePlan, RoleScaling, RoleShape } from "@trivium/domain";
import type { Deployment, KubeObject } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { emitCollector } from "./collector.ts";
import { emitPodAccess } from "./pod-access.ts";
import { emitService } from "./traffic/service.ts";
import { emitAutoscaler } from "./workloads/autoscaler.ts";
import { emitDeployment } from "./workloads/deployment.ts";
import { emitDisruptionBudget } from "./workloads/disruption-budget.ts";
import { emitKnativeService } from "./workloads/knative-service.ts";
import { emitInferenceService } from "./workloads/kserve.ts";
import { emitLeaderWorkerSet } from "./workloads/leader-worker-set.ts";
import { emitScaledObject } from "./workloads/scaled-object.ts";

/** Every object of one role. */
export function emitRole(role: RolePlan | PlannedRole): Desired[] {
  const { shape, address, canary, access, scaling, disruption } = role;
  const workload = emitShape(shape);
  // While a newer template is tried out, what is rolled out stays unchanged.
  const isKept = role.keep === true || canary !== undefined;
  return [
    ...(access === undefined ? [] : emitPodAccess(access, labelsOf(role))),
    isKept ? kept(workload) : workload,
    ...(address === undefined ? [] : [emitService(address)]),
    ...(canary === undefined || canary.taken !== undefined
      ? []
      : [withStrategy(emitDeployment(canary.workload), shape), emitService(canary.address)]),
    ...emitScaling(scaling),
    ...(disruption === undefined ? [] : [emitDisruptionBudget(disruption)]),
  ];
}

const kept = <O extends KubeObject>(desired: Desired<O>): Desired<O> => ({ ...desired, keep: true });

function emitShape(shape: RoleShape): Desired {
  switch (shape.is) {
    case "deployment":
      return withStrategy(emitDeployment(shape.workload), shape);
    case "group":
      return emitLeaderWorkerSet(shape.group);
    case "serverless":
      return emitKnativeService(shape.serverless);
    case "kserve":
      return emitInferenceService(shape.inference);
  }
}

function withStrategy(deployment: Desired<Deployment>, shape: RoleShape): Desired {
  const strategy = shape.is === "deployment" ? shape.strategy : undefined;
  if (strategy === undefined) return deployment;
  const { object } = deployment;
  return { ...deployment, object: { ...object, spec: { ...object.spec, strategy } } as Deployment };
}

/** What scales it. While autoscalers are switched there is none: the new one is created when the old one is gone. */
function emitScaling(scaling: RoleScaling): Desired[] {
  switch (scaling.is) {
    case "hpa":
      return [emitAutoscaler(scaling.plan)];
    case "keda": {
      const { plan, collector } = scaling;
      return [emitScaledObject(plan), ...(collector === undefined ? [] : [emitCollector(collector)])];
    }
    case "unavailable":
      return scaling.kept === undefined ? [] : [kept(emitScaledObject(scaling.kept))];
    case "fixed":
    case "elsewhere":
    case "switching":
      return [];
  }
}

/** The labels of its address, else of what runs. */
function labelsOf({ address, shape }: RolePlan): Readonly<Record<string, string>> {
  if (address !== undefined) return address.labels;
  switch (shape.is) {
    case "deployment":
      return shape.workload.labels;
    case "group":
      return shape.group.labels;
    case "serverless":
      return shape.serverless.labels;
    case "kserve":
      return shape.inference.labels;
  }
}
