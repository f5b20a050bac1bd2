import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerV1, PodDisruptionBudget } from "@trivium/kube";
import { cloneJson } from "@trivium/std";
import { traits } from "../traits.ts";
import { checkAutoscaler, checkDisruptionBudget } from "./check.ts";
import { defaultAutoscaler } from "./defaults.ts";
import { formatMetrics } from "./metrics-table.ts";
import { fromVersionOne, toVersionOne } from "./version-one.ts";

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

/** The older form of the same objects, stored as the newer. */
export const horizontalPodAutoscalerV1 = traits<HorizontalPodAutoscalerV1>({
  storedAs: {
    group: "autoscaling",
    version: "v2",
    fromStored: toVersionOne,
    toStored: (object) => fromVersionOne(object as unknown as HorizontalPodAutoscaler),
  },
  defaults: ({ metadata, spec }) => {
    spec.minReplicas ??= 1;
    const hasOthers = Object.keys(metadata.annotations ?? {}).some((key) =>
      key.startsWith("autoscaling.alpha.kubernetes.io/"),
    );
    if (!hasOthers) spec.targetCPUUtilizationPercentage ??= 80;
  },
  validate: (object) => checkAutoscaler(asVersionTwo(object)),
  cells: {
    Reference: ({ spec }) => `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    Targets: (object) => {
      const { currentCPUUtilizationPercentage: current } = object.status ?? {};
      const resource = { name: "cpu", current: { averageUtilization: current } };
      return formatMetrics(
        asVersionTwo(object).spec.metrics ?? [],
        current === undefined ? [] : [{ type: "Resource", resource }],
      );
    },
    MinPods: ({ spec }) => (spec.minReplicas === undefined ? "<unset>" : String(spec.minReplicas)),
    MaxPods: ({ spec }) => spec.maxReplicas,
    Replicas: ({ status }) => status?.currentReplicas ?? 0,
  },
});

function asVersionTwo(object: HorizontalPodAutoscalerV1): HorizontalPodAutoscaler {
  const copy = cloneJson(object) as unknown as HorizontalPodAutoscaler;
  fromVersionOne(copy);
  return copy;
}

export const podDisruptionBudget = traits<PodDisruptionBudget>({
  validate: checkDisruptionBudget,
  hasGeneration: true,
  cells: {
    "Min Available": ({ spec }) => (spec.minAvailable === undefined ? "N/A" : String(spec.minAvailable)),
    "Max Unavailable": ({ spec }) => (spec.maxUnavailable === undefined ? "N/A" : String(spec.maxUnavailable)),
    "Allowed Disruptions": ({ status }) => status?.disruptionsAllowed ?? 0,
  },
});
