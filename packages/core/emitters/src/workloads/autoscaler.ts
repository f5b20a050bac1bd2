import type { ScalingPlan } from "@trivium/domain";
import { HorizontalPodAutoscaler } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

export function emitAutoscaler(plan: ScalingPlan): Desired<HorizontalPodAutoscaler> {
  const { name, labels, target, min, max, metrics } = plan;
  const object: HorizontalPodAutoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name, labels: { ...labels } },
    spec: { scaleTargetRef: { ...target }, minReplicas: min, maxReplicas: max, metrics: [...metrics] },
  };
  return { kind: HorizontalPodAutoscaler, object };
}
