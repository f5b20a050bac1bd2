import type { PodMetricPlan, RoleScaling, ScaleTrigger, ScalingPlan } from "@trivium/domain";
import { planScaling, type ScalingRequest } from "@trivium/engines";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import type { AimOptions } from "../../options.ts";
import { addressNameOf, type Service, scaledNameOf } from "../names/names.ts";
import { isOnKServe, type ObservedScaling, type ObservedService } from "../observed/observed-service.ts";
import { defaultUtilization, type ReplicaPlan, scalerAnnotation, targetOf } from "../roles/replicas.ts";

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

/** The engine decides who scales; here is what each autoscaler would be told, in the words of this API. */
export function lowerScaling(input: ScalingInput): Scaling {
  const { service, replicas, observed, labels } = input;
  const { min, max, scaler, metrics } = replicas;
  const name = addressNameOf(service);
  const bounds = { name, labels, target: { apiVersion: "apps/v1", kind: "Deployment", name }, min, max };
  const plain = planPlainly(metrics, bounds, obstacles[scaler === "hpa" ? "unwanted" : "absent"]);
  const scaling = planScaling({
    scaler,
    hpa: plain.hpa,
    keda: metrics.length === 0 ? undefined : planKeda(input, bounds),
    installed: {
      hasKeda: has(observed.scaling?.keda),
      isElsewhere: isOnKServe(observed),
      hasFormer: observed.scaling?.hasFormer === true,
      isMeasured: true,
    },
    withoutKeda: "",
    instead: "hpa",
  });
  return scaling.is === "hpa" ? { ...scaling, ...plain.remarks } : scaling;
}

type Bounds = Omit<ScalingPlan, "metrics">;

function planKeda({ service, replicas, observed, labels, port, options }: ScalingInput, bounds: Bounds) {
  const { metrics } = replicas;
  const { name } = bounds;
  const marks = { namespace: service.metadata.namespace ?? "", deployment: name };
  const triggers = metrics.map((metric) => triggerOf(metric, marks, options));
  const plan = { ...bounds, name: scaledNameOf(service), triggers };
  if (!has(observed.scaling?.collector)) return { plan };
  const metricNames = collectedNames(metrics);
  return { plan, collector: { name, labels, port, marks, metricNames, sendTo: options.metricReceiver } };
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

interface PlainScaling {
  readonly hpa: ScalingRequest["hpa"];
  readonly remarks?: Pick<Scaling, "mayLack" | "ignored">;
}

/** Without KEDA: Kubernetes scales by CPU, or by a metric that has a name, where an adapter reports what pods measure. */
function planPlainly(
  metrics: readonly PodMetricPlan[],
  bounds: Bounds,
  { why, remedy }: (typeof obstacles)[keyof typeof obstacles],
): PlainScaling {
  if (metrics.length === 0) return { hpa: { ...bounds, metrics: [byProcessor] } };
  const expression = metrics.map(measurementOf).find(isExpression);
  if (expression !== undefined)
    return {
      hpa: {
        why: `${why}, so scaling by "${expression.slice(0, 100)}" is not available; ${remedy}, ${instead}`,
      },
    };
  const mayLack = `${why}, so Kubernetes needs an adapter for pod metrics (custom.metrics.k8s.io); install one, or ${remedy}, ${instead}`;
  const byPods = metrics.map((metric) => ({
    type: "Pods" as const,
    pods: {
      metric: { name: measurementOf(metric) },
      target: { type: "AverageValue" as const, averageValue: String(targetOf(metric.target) ?? "1") },
    },
  }));
  const ignored = metrics.flatMap(ignoredFields);
  const hpa = { ...bounds, metrics: byPods };
  if (ignored.length === 0) return { hpa, remarks: { mayLack } };
  return { hpa, remarks: { mayLack, ignored: `${why}, so ${ignored.join("; ")}; ${remedy}` } };
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
