import type { WorkloadPlan } from "@trivium/domain";
import { Deployment } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

export function emitDeployment(plan: WorkloadPlan): Desired<Deployment> {
  const { name, labels, annotations, selector, pod, replicas, update, history } = plan;
  const object: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name,
      labels: { ...labels },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    },
    spec: {
      replicas,
      selector: { matchLabels: { ...selector } },
      strategy: { type: update === "replace" ? "Recreate" : "RollingUpdate" },
      template: { metadata: { labels: { ...pod.labels }, annotations: { ...pod.annotations } }, spec: pod.spec },
      ...(history === undefined ? {} : { revisionHistoryLimit: history }),
    },
  };
  return { kind: Deployment, object };
}
