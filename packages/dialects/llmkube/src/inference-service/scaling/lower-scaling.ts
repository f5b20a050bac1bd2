import type { ReplicaBounds, RoleScaling } from "@trivium/domain";
import { planReplicas, planScaling } from "@trivium/engines";
import type { api } from "@trivium/kube";
import type { InferenceService } from "../../kinds/inference-service.ts";
import { labelsOf } from "../names/service-names.ts";
import type { Engine } from "../pod/engines/index.ts";

/** Requests that one replica works on before another is wanted. */
const defaultTarget = "2";

/** What of a spec decides how many replicas there are. */
export type ScaledSpec = Pick<InferenceService["spec"], "autoscaling" | "replicas" | "suspend">;

interface Scale {
  readonly scaler: "hpa" | "none";
  readonly requested: number;
  readonly min: number;
  readonly max: number;
}

/** Between how many replicas a service has, and whether an autoscaler chooses. Quotas count by it too. */
export function scaleOf({ autoscaling, replicas, suspend }: ScaledSpec, engine: Engine): Scale {
  const requested = suspend === true ? 0 : (replicas ?? 1);
  // A service that was scaled to zero by hand stays off, and is not scaled.
  if (autoscaling === undefined || requested === 0 || !hasMetric(autoscaling, engine))
    return { scaler: "none", requested, min: requested, max: requested };
  const min = autoscaling.minReplicas ?? 1;
  return { scaler: "hpa", requested, min, max: Math.max(autoscaling.maxReplicas ?? min, min) };
}

/** The engine decides who scales. This API has no field for KEDA, so what it would do is absent. */
export function lowerScaling(service: InferenceService, engine: Engine): RoleScaling {
  const metrics = metricsOf(service.spec.autoscaling?.metrics ?? [], engine);
  const { scaler, min, max } = scaleOf(service.spec, engine);
  const name = service.metadata.name ?? "";
  const target = { apiVersion: "apps/v1", kind: "Deployment", name };
  return planScaling({
    scaler,
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
export function replicasOf(spec: ScaledSpec, engine: Engine, live: number | undefined): ReplicaBounds {
  const { requested, ...bounds } = scaleOf(spec, engine);
  return planReplicas({ bounds, requested, live });
}
