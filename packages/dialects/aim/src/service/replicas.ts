import type { PodMetricPlan } from "@trivium/domain";
import type { Service } from "./names.ts";

export interface ReplicaPlan {
  readonly min: number;
  readonly max: number;
  readonly scaler: "none" | "keda";
  readonly metrics?: readonly PodMetricPlan[];
}

/** How many copies there should be: a number, or bounds between which load decides. */
export function planReplicas({ spec }: Service): ReplicaPlan {
  const { replicas = 1, minReplicas, maxReplicas, autoScaling } = spec;
  if (minReplicas === undefined && maxReplicas === undefined && autoScaling === undefined)
    return { min: replicas, max: replicas, scaler: "none" };
  const min = minReplicas ?? 1;
  const max = Math.max(min, maxReplicas ?? min);
  const metrics = (autoScaling?.metrics ?? []).flatMap(({ podmetric }) => {
    if (podmetric?.metric === undefined || podmetric.target === undefined) return [];
    return [{ metric: podmetric.metric, target: podmetric.target }];
  });
  return { min, max, scaler: "keda", ...(metrics.length === 0 ? {} : { metrics }) };
}

/** Bounds that contradict each other, in words. */
export function faultOfReplicas({ spec }: Service): string | undefined {
  const { minReplicas = 1, maxReplicas } = spec;
  if (maxReplicas === undefined || maxReplicas >= minReplicas) return undefined;
  return `spec.maxReplicas ${maxReplicas} is less than spec.minReplicas ${minReplicas}; raise it`;
}
