import type { HorizontalPodAutoscaler, PodDisruptionBudget } from "@trivium/kube";
import { traits } from "../traits.ts";
import { checkAutoscaler, checkDisruptionBudget } from "./check.ts";
import { defaultAutoscaler } from "./defaults.ts";
import { formatMetrics } from "./metrics-table.ts";

export const horizontalPodAutoscaler = traits<HorizontalPodAutoscaler>({
  validate: checkAutoscaler,
  defaults: defaultAutoscaler,
  cells: {
    Reference: ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    Targets: ({ spec, status }) => formatMetrics(spec.metrics ?? [], status?.currentMetrics ?? []),
    MinPods: ({ spec }) => (spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas)),
    MaxPods: ({ spec }) => spec.maxReplicas,
    Replicas: ({ status }) => status?.currentReplicas ?? 0,
  },
});

export const podDisruptionBudget = traits<PodDisruptionBudget>({
  validate: checkDisruptionBudget,
  hasGeneration: true,
  cells: {
    "Min Available": ({ spec }) => (spec.minAvailable === undefined ? "N/A" : String(spec.minAvailable)),
    "Max Unavailable": ({ spec }) => (spec.maxUnavailable === undefined ? "N/A" : String(spec.maxUnavailable)),
    "Allowed Disruptions": ({ status }) => status?.disruptionsAllowed ?? 0,
  },
});
