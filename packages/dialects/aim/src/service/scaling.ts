import type { CollectorPlan, PodMetricPlan, ScaledPlan, ScaleTrigger, ScalingPlan } from "@trivium/domain";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import type { AimOptions } from "../options.ts";
import { addressNameOf, type Service, scaledNameOf } from "./names.ts";
import { planReplicas, targetOf, usualUtilization } from "./replicas.ts";
import type { ScalingSeen, ServiceSeen } from "./seen.ts";

/** Who says how many copies there are. */
export type Scaling =
  /** A number in the spec. */
  | { readonly is: "fixed" }
  /** KServe, from its own objects. */
  | { readonly is: "kserve" }
  | { readonly is: "use"; readonly plan: ScalingPlan }
  | { readonly is: "keda"; readonly plan: ScaledPlan; readonly collector?: CollectorPlan }
  /** KEDA, as soon as the autoscaler that we made before is gone. */
  | { readonly is: "switching" }
  | { readonly is: "unavailable"; readonly message: string };

interface ScalingQuestion {
  readonly service: Service;
  readonly seen: Pick<ServiceSeen, "kserve" | "scaling">;
  readonly labels: Readonly<Record<string, string>>;
  readonly port: number;
  readonly options: AimOptions;
}

export function planScaling({ service, seen, labels, port, options }: ScalingQuestion): Scaling {
  const { min, max, scaler, metrics } = planReplicas(service);
  if (scaler === "none") return { is: "fixed" };
  if (seen.kserve.is === "known" && seen.kserve.value) return { is: "kserve" };
  const name = addressNameOf(service);
  const bounds = { name, labels, target: { apiVersion: "apps/v1", kind: "Deployment", name }, min, max };
  if (metrics.length === 0) return { is: "use", plan: { ...bounds, metrics: [byProcessor] } };
  if (!has(seen.scaling?.keda)) return { is: "unavailable", message: withoutKeda };
  if (seen.scaling?.hasFormer === true) return { is: "switching" };
  const marks = { namespace: service.metadata.namespace ?? "", deployment: name };
  const triggers = metrics.map((metric) => triggerOf(metric, marks, options));
  const plan = { ...bounds, name: scaledNameOf(service), triggers };
  if (!has(seen.scaling?.collector)) return { is: "keda", plan };
  const metricNames = [...new Set(metrics.flatMap(({ metric }) => metric.metricNames ?? []))].sort();
  return { is: "keda", plan, collector: { name, labels, port, marks, metricNames, sendTo: options.metricReceiver } };
}

const has = (fact: ScalingSeen["keda"]): boolean => fact?.is === "known" && fact.value;

const withoutKeda =
  "Neither KServe nor KEDA is installed, so nothing scales by spec.autoScaling.metrics; install KEDA with its OpenTelemetry scaler, or leave autoScaling out: between minReplicas and maxReplicas the use of processors decides";

const byProcessor: ScalingPlan["metrics"][number] = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: usualUtilization } },
};

/** As KServe would have it: the sum over the pods of this service, shared by as many copies as keep each below the target. */
function triggerOf(
  { metric, target }: PodMetricPlan,
  marks: Readonly<Record<string, string>>,
  options: AimOptions,
): ScaleTrigger {
  const { query = metric.metricNames?.[0] ?? "", serverAddress, operationOverTime } = metric;
  const selector = Object.entries(marks).map(([key, value]) => `${key}="${value}"`);
  const amount = parseQuantity(targetOf(target) ?? "");
  return {
    type: "external",
    metadata: {
      scalerAddress: serverAddress || options.metricScaler,
      // A whole expression says itself what it is about.
      metricQuery: /[({]/.test(query) ? query : `sum(${query}{${selector.join(", ")}})`,
      targetValue: String(amount === undefined ? 0 : quantityToNumber(amount)),
      ...(operationOverTime === undefined ? {} : { operationOverTime }),
    },
  };
}
