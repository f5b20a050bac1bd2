import type { AnyObject, api, HorizontalPodAutoscaler, HorizontalPodAutoscalerV1 } from "@trivium/kube";
import type { JsonObject } from "@trivium/std";

/**
 * The older form of an autoscaler knows one metric, the share of cpu in use. Everything else that the newer form can say
 * travels in an annotation, so that reading and writing the older form loses nothing.
 */
const metricsAnnotation = "autoscaling.alpha.kubernetes.io/metrics";
const behaviorAnnotation = "autoscaling.alpha.kubernetes.io/behavior";

const isCpuShare = ({ type, resource }: api.MetricSpec): boolean =>
  type === "Resource" && resource?.name === "cpu" && resource.target.averageUtilization !== undefined;

/** Gives an object in the stored form the older one, in place. One that has it already stays as it is. */
export function toVersionOne(object: AnyObject): void {
  const { spec, metadata } = object as unknown as HorizontalPodAutoscaler;
  const { metrics, behavior, ...rest } = spec ?? {};
  if (metrics === undefined && behavior === undefined) return;
  const cpu = metrics?.find(isCpuShare)?.resource?.target.averageUtilization;
  const others = (metrics ?? []).filter((metric) => !isCpuShare(metric));
  object.spec = {
    ...rest,
    ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }),
  } as unknown as JsonObject;
  const reported = {
    ...(others.length > 0 ? { [metricsAnnotation]: JSON.stringify(others) } : {}),
    ...(behavior === undefined ? {} : { [behaviorAnnotation]: JSON.stringify(behavior) }),
  };
  if (Object.keys(reported).length > 0) metadata.annotations = { ...metadata.annotations, ...reported };
  toOlderStatus(object);
}

function toOlderStatus(object: AnyObject): void {
  const status = object.status as unknown as api.HorizontalPodAutoscalerStatus | undefined;
  if (status === undefined) return;
  const { currentMetrics, conditions: _, ...rest } = status;
  const current = currentMetrics?.find(({ resource }) => resource?.name === "cpu")?.resource?.current
    .averageUtilization;
  object.status = {
    ...rest,
    ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
  } as unknown as JsonObject;
}

/** Gives an object in the older form the stored one, in place. One that has it already stays as it is. */
export function fromVersionOne(object: HorizontalPodAutoscaler): void {
  const { spec, metadata } = object as unknown as HorizontalPodAutoscalerV1 & { spec: api.HorizontalPodAutoscalerSpec };
  const { [metricsAnnotation]: metrics, [behaviorAnnotation]: behavior, ...annotations } = metadata.annotations ?? {};
  const share = spec.targetCPUUtilizationPercentage;
  if (share === undefined && metrics === undefined && behavior === undefined) return;
  delete spec.targetCPUUtilizationPercentage;
  const target = { type: "Utilization", averageUtilization: share };
  const cpu: api.MetricSpec[] = share === undefined ? [] : [{ type: "Resource", resource: { name: "cpu", target } }];
  spec.metrics ??= [...parsed<api.MetricSpec[]>(metrics, []), ...cpu];
  if (behavior !== undefined) spec.behavior ??= parsed<api.HorizontalPodAutoscalerBehavior>(behavior, {});
  if (metrics !== undefined || behavior !== undefined) metadata.annotations = annotations;
  const status = object.status as { currentCPUUtilizationPercentage?: number } | undefined;
  delete status?.currentCPUUtilizationPercentage;
}

function parsed<T>(text: string | undefined, otherwise: T): T {
  try {
    return text === undefined ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}
