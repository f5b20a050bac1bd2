import type { ReplicaBounds, RoleScaling } from "@trivium/domain";
import { planReplicas, planScaling } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelsOf } from "../names/service-names.ts";
import type { Engine } from "../pod/engines/index.ts";

/** Requests that one replica works on before another is wanted. */
const defaultTarget = "2";

/** The engine decides who scales. This API has no field for KEDA, so what it would do is absent. */
export function lowerScaling(service: InferenceService, engine: Engine): RoleScaling {
  const { autoscaling, suspend, replicas } = service.spec;
  const metrics = metricsOf(autoscaling?.metrics ?? [], engine);
  // Whoever scaled a service to zero by hand wants it off, not scaled.
  const isScaled = autoscaling !== undefined && suspend !== true && replicas !== 0 && metrics.length > 0;
  const name = service.metadata.name ?? "";
  const target = { apiVersion: "apps/v1", kind: "Deployment", name };
  const min = autoscaling?.minReplicas ?? 1;
  const max = Math.max(autoscaling?.maxReplicas ?? min, min);
  return planScaling({
    scaler: isScaled ? "hpa" : "none",
    hpa: { name, labels: labelsOf(service), target, min, max, metrics },
    installed: { hasKeda: false, isElsewhere: false, hasFormer: false, isMeasured: true },
    withoutKeda: "",
    instead: "hpa",
  });
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
export function replicasOf({ spec }: InferenceService, scaling: RoleScaling, live: number | undefined): ReplicaBounds {
  const requested = spec.suspend === true ? 0 : (spec.replicas ?? 1);
  const bounds = scaling.is === "hpa" ? scaling.plan : { min: requested, max: requested };
  return planReplicas({ bounds, requested, live });
}
