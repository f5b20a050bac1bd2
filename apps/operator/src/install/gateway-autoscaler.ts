import type { Json } from "@trivium/std";
import type { Settings } from "./chart-values.ts";
import { metadataOf } from "./pod.ts";
import { type Part, Value } from "./value.ts";

const component = "gateway";
/** What the gateway reports about requests in progress, one series for each Service; an adapter adds them up for a pod. */
const requestMetric = "trivium_gateway_in_flight";

/** Whether the number of gateway pods is decided by their load. */
export const isAutoscaled = (s: Settings): Value =>
  new Value("gt (int .Values.gateway.maxReplicas) 0", Number(s.read("gateway.maxReplicas")) > 0);

export const autoscaler = (s: Settings): Part["object"] => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: metadataOf(s, component),
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: s.name(component) },
    minReplicas: s.value("gateway.replicas"),
    maxReplicas: s.value("gateway.maxReplicas"),
    metrics: metricsOf(s),
  },
});

/** Pods are added for the metric that asks for the most. */
function metricsOf(s: Settings): Value {
  const [cpu, requests] = [String(s.read("gateway.targetCPU")), Number(s.read("gateway.targetRequests"))];
  const byCpu = `(dict "type" "Resource" "resource" (dict "name" "cpu" "target" (dict "type" "AverageValue" "averageValue" .Values.gateway.targetCPU)))`;
  const byRequests = `(dict "type" "Pods" "pods" (dict "metric" (dict "name" "${requestMetric}") "target" (dict "type" "AverageValue" "averageValue" (toString .Values.gateway.targetRequests))))`;
  const when = (metric: string, condition: string): string => `(ternary (list ${metric}) (list) ${condition})`;
  const all: Json[] = [];
  if (cpu !== "")
    all.push({ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: cpu } } });
  if (requests > 0) {
    const target = { type: "AverageValue", averageValue: String(requests) };
    all.push({ type: "Pods", pods: { metric: { name: requestMetric }, target } });
  }
  const helm = [
    when(byCpu, `(ne .Values.gateway.targetCPU "")`),
    when(byRequests, "(gt (int .Values.gateway.targetRequests) 0)"),
  ];
  return new Value(`concat ${helm.join(" ")} | toJson`, all);
}
