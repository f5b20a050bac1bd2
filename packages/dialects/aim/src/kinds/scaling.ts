import { int32, list, obj, oneOf, opt, str } from "@trivium/schema";

const metric = obj("Metric to read", {
  backend: opt(oneOf("Backend that stores the metric", ["opentelemetry"], { default: "opentelemetry" })),
  serverAddress: opt(str("Address of the backend; defaults to keda-otel-scaler.keda.svc:4317")),
  metricNames: opt(list("Metrics to collect from each pod", str("A metric, such as vllm:num_requests_running"))),
  query: opt(str("Query in the language of the backend")),
  operationOverTime: opt(str("Aggregation over time: last_one, avg, max, min, rate or count; defaults to last_one")),
});

const target = obj("Target value", {
  type: oneOf("Type of the target", ["Value", "AverageValue", "Utilization"]),
  value: opt(str("Value across all pods, for type Value")),
  averageValue: opt(str("Average value of each pod, for type AverageValue")),
  averageUtilization: opt(int32("Percentage of the requested resource, for type Utilization")),
});

/** How a service is scaled by what its pods measure. */
export const autoScaling = obj("Autoscaling by pod metrics", {
  metrics: opt(
    list(
      "Metrics to scale by; the one that requires the most replicas is used",
      obj("A metric", {
        type: oneOf("Source of the metric", ["PodMetric"]),
        podmetric: opt(obj("A metric that each pod reports", { metric: opt(metric), target: opt(target) })),
      }),
    ),
  ),
});
