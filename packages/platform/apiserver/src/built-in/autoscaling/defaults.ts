import type { api } from "@trivium/kube";

export function defaultAutoscaler({ spec }: api.HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
  if ((spec.metrics ?? []).length === 0) {
    const target = { type: "Utilization", averageUtilization: 80 };
    spec.metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
  }
  if (spec.behavior) defaultBehavior(spec.behavior);
}

/** Up: double, or four pods, every 15 s, at once. Down: everything, after the cluster's own time of calm. */
function defaultBehavior(behavior: api.HorizontalPodAutoscalerBehavior): void {
  behavior.scaleUp = {
    stabilizationWindowSeconds: 0,
    selectPolicy: "Max",
    policies: [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ],
    ...behavior.scaleUp,
  };
  behavior.scaleDown = {
    selectPolicy: "Max",
    policies: [{ type: "Percent", value: 100, periodSeconds: 15 }],
    ...behavior.scaleDown,
  };
}
