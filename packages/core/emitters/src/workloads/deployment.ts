import type { WorkloadPlan } from "@trivium/domain";
import { Deployment } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { metadataOf } from "../metadata.ts";
import { templateOf } from "./pod-template.ts";

export function emitDeployment(plan: WorkloadPlan): Desired<Deployment> {
  const { selector, pod, replicas, update, history } = plan;
  const object: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(plan),
    spec: {
      replicas,
      selector: { matchLabels: { ...selector } },
      strategy: { type: update === "replace" ? "Recreate" : "RollingUpdate" },
      template: templateOf(pod),
      ...(history === undefined ? {} : { revisionHistoryLimit: history }),
    },
  };
  return { kind: Deployment, object };
}
