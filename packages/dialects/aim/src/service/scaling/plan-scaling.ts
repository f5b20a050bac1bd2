import type { PodMetricPlan, RoleScaling, ScaleTrigger, ScalingPlan } from "@trivium/domain";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import type { AimOptions } from "../../options.ts";
import { addressNameOf, type Service, scaledNameOf } from "../names/names.ts";
import { isOnKServe, type ObservedScaling, type ObservedService } from "../observed/observed-service.ts";
import { defaultUtilization, isScaled, type ReplicaPlan, scalerAnnotation, targetOf } from "../roles/replicas.ts";

/** What decides how many replicas there are, and what a person should know of it. */
export type Scaling = RoleScaling & {
  /** What Kubernetes may lack to measure. */
  readonly mayLack?: string;
  /** Fields of the spec that have no effect. */
  readonly ignored?: string;
};

interface ScalingInput {
  readonly service: Service;
  readonly replicas: ReplicaPlan;
  readonly observed: Pick<ObservedService, "kserve" | "scaling">;
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number;
  readonly options: AimOptions;
}

export function planScaling({ service, replicas, observed, labels, port, options }: ScalingInput): Scaling {
  const { min, max, scaler, metrics } = replicas;
  if (!isScaled({ scaler })) return { is: "fixed" };
  if (isOnKServe(observed)) return { is: "elsewhere" };
  const name = addressNameOf(service);
  const bounds = { name, labels, target: { apiVersion: "apps/v1", kind: "Deployment", name }, min, max };
  if (metrics.length === 0) return { is: "hpa", plan: { ...bounds, metrics: [byProcessor] } };
  if (scaler === "hpa") return withoutKeda(metrics, bounds, obstacles.unwanted);
  if (!has(observed.scaling?.keda)) return withoutKeda(metrics, bounds, obstacles.absent);
  const marks = { namespace: service.metadata.namespace ?? "", deployment: name };
  const triggers = metrics.map((metric) => triggerOf(metric, marks, options));
  const plan = { ...bounds, name: scaledNameOf(service), triggers };
  if (observed.scaling?.hasFormer === true) return { is: "switching", plan };
  if (!has(observed.scaling?.collector)) return { is: "keda", plan };
  const metricNames = collectedNames(metrics);
  return { is: "keda", plan, collector: { name, labels, port, marks, metricNames, sendTo: options.metricReceiver } };
}

const has = (fact: ObservedScaling["keda"]): boolean => fact?.is === "known" && fact.value;

const measurementOf = ({ metric }: PodMetricPlan): string => metric.query || (metric.metricNames?.[0] ?? "");
/** A whole expression says itself what it is about; a measurement is just its name. */
const isExpression = (query: string): boolean => /[^\w:.-]/.test(query);

const instead = "or remove spec.autoScaling to scale by CPU between minReplicas and maxReplicas";

/** Why KEDA does not do it, and what a person can do about that. */
const obstacles = {
  absent: {
    why: "Neither KServe nor KEDA is installed",
    remedy: "install KEDA with its OpenTelemetry scaler",
  },
  unwanted: {
    why: `Annotation ${scalerAnnotation} is hpa`,
    remedy: "install KEDA with its OpenTelemetry scaler and set the annotation to keda",
  },
} as const;

/** A measurement by its name Kubernetes can scale by, where something tells it what pods measure. */
function withoutKeda(
  metrics: readonly PodMetricPlan[],
  bounds: Omit<ScalingPlan, "metrics">,
  { why, remedy }: (typeof obstacles)[keyof typeof obstacles],
): Scaling {
  const expression = metrics.map(measurementOf).find(isExpression);
  if (expression !== undefined) {
    const message = `${why}, so scaling by "${expression.slice(0, 100)}" is not available; ${remedy}, ${instead}`;
    return { is: "unavailable", why: message };
  }
  const mayLack = `${why}, so Kubernetes needs an adapter for pod metrics (custom.metrics.k8s.io); install one, or ${remedy}, ${instead}`;
  const byPods = metrics.map((metric) => ({
    type: "Pods" as const,
    pods: {
      metric: { name: measurementOf(metric) },
      target: { type: "AverageValue" as const, averageValue: String(targetOf(metric.target) ?? "1") },
    },
  }));
  const ignored = metrics.flatMap(ignoredFields);
  const plan = { ...bounds, metrics: byPods };
  if (ignored.length === 0) return { is: "hpa", plan, mayLack };
  return { is: "hpa", plan, mayLack, ignored: `${why}, so ${ignored.join("; ")}; ${remedy}` };
}

/** A HorizontalPodAutoscaler compares the latest value of each pod with an average, and asks nobody by an address. */
function ignoredFields({ metric, target }: PodMetricPlan, at: number): string[] {
  const { serverAddress, operationOverTime } = metric;
  const place = `spec.autoScaling.metrics[${at}].podmetric`;
  const over =
    operationOverTime && operationOverTime !== "last_one" ? `.metric.operationOverTime ${operationOverTime}` : "";
  return [
    ...(serverAddress ? [`${place}.metric.serverAddress has no effect`] : []),
    ...(over === "" ? [] : [`${place}${over} has no effect (the latest value is used)`]),
    ...(target.type === "Value" ? [`${place}.target.type Value is applied as AverageValue`] : []),
  ];
}

/** What has to be collected; everything where somebody's expression may be about anything. */
function collectedNames(metrics: readonly PodMetricPlan[]): string[] {
  const names = metrics.map((plan) => {
    if ((plan.metric.metricNames ?? []).length > 0) return plan.metric.metricNames ?? [];
    return isExpression(measurementOf(plan)) ? undefined : [measurementOf(plan)];
  });
  if (names.includes(undefined)) return [];
  return [...new Set(names.flatMap((some) => some ?? []))].sort();
}

const byProcessor: ScalingPlan["metrics"][number] = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: defaultUtilization } },
};

/** As KServe would have it: the sum over the pods of this service, shared by as many copies as keep each below the target. */
function triggerOf(plan: PodMetricPlan, marks: Readonly<Record<string, string>>, options: AimOptions): ScaleTrigger {
  const { metric, target } = plan;
  const { serverAddress, operationOverTime } = metric;
  const query = measurementOf(plan);
  const selector = Object.entries(marks).map(([key, value]) => `${key}="${value}"`);
  const amount = parseQuantity(targetOf(target) ?? "");
  return {
    type: "external",
    metadata: {
      scalerAddress: serverAddress || options.metricScaler,
      metricQuery: isExpression(query) ? query : `sum(${query}{${selector.join(", ")}})`,
      targetValue: String(amount === undefined ? 0 : quantityToNumber(amount)),
      ...(operationOverTime === undefined ? {} : { operationOverTime }),
    },
  };
}
