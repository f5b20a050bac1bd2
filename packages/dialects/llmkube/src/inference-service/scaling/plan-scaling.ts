import type { ScalingPlan } from "@trivium/domain";
import { planReplicas } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelsOf } from "../names/service-names.ts";
import type { Engine } from "../pod/engines/index.ts";

/** Requests that one replica works on before another is wanted. */
const defaultTarget = "2";

export function planScaling(service: InferenceService, engine: Engine): ScalingPlan | undefined {
  const { autoscaling, suspend } = service.spec;
  // Whoever scaled a service to zero by hand wants it off, not scaled.
  if (autoscaling === undefined || suspend === true || service.spec.replicas === 0) return undefined;
  const metrics = metricsOf(autoscaling.metrics ?? [], engine);
  if (metrics.length === 0) return undefined;
  const name = service.metadata.name ?? "";
  return {
    name,
    labels: labelsOf(service),
    target: { apiVersion: "apps/v1", kind: "Deployment", name },
    min: autoscaling.minReplicas ?? 1,
    max: Math.max(autoscaling.maxReplicas, autoscaling.minReplicas ?? 1),
    metrics,
  };
}

/** Whether there is anything to scale by: what the spec names, or what the engine reports. */
export const hasMetric = ({ metrics }: Autoscaling, { metric }: Engine): boolean =>
  (metrics ?? []).length > 0 || metric !== undefined;

type Autoscaling = NonNullable<InferenceService["spec"]["autoscaling"]>;
type Metric = NonNullable<NonNullable<InferenceService["spec"]["autoscaling"]>["metrics"]>[number];

function metricsOf(metrics: readonly Metric[], { metric }: Engine): api.MetricSpec[] {
  if (metrics.length > 0) return metrics.map(metricOf);
  return metric === undefined ? [] : [podsMetric(metric, defaultTarget)];
}

function metricOf({ type, name, targetAverageValue, targetAverageUtilization }: Metric): api.MetricSpec {
  if (type === "Pods") return podsMetric(name, targetAverageValue ?? defaultTarget);
  const target: api.MetricTarget =
    targetAverageUtilization === undefined
      ? { type: "AverageValue", averageValue: targetAverageValue ?? "1" }
      : { type: "Utilization", averageUtilization: targetAverageUtilization };
  return { type: "Resource", resource: { name, target } };
}

const podsMetric = (name: string, averageValue: string): api.MetricSpec => ({
  type: "Pods",
  pods: { metric: { name }, target: { type: "AverageValue", averageValue } },
});

/** How many pods are wanted: what an autoscaler chose stands, within its bounds. */
export function replicasOf(
  service: InferenceService,
  scaling: ScalingPlan | undefined,
  live: number | undefined,
): number {
  if (service.spec.suspend === true) return 0;
  const request = service.spec.replicas ?? 1;
  if (scaling === undefined) return request;
  return planReplicas({ bounds: scaling, requested: request, live }).current;
}
