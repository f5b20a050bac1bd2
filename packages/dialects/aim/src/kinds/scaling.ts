import { int32, list, obj, oneOf, opt, str } from "@trivium/schema";

const metric = obj("What to measure", {
  backend: opt(oneOf("Where measurements are kept", ["opentelemetry"], { default: "opentelemetry" })),
  serverAddress: opt(str("Address of that backend; keda-otel-scaler.keda.svc:4317 when left out")),
  metricNames: opt(
    list("Measurements to collect from each pod", str("A measurement, such as vllm:num_requests_running")),
  ),
  query: opt(str("What to ask the backend for, in its own language")),
  operationOverTime: opt(
    str("How measurements over time become one number: last_one, avg, max, min, rate or count; last_one when left out"),
  ),
});

const target = obj("The value to keep to", {
  type: oneOf("What the value means", ["Value", "AverageValue", "Utilization"]),
  value: opt(str("Value over all pods together, for type Value")),
  averageValue: opt(str("Value for each pod on average, for type AverageValue")),
  averageUtilization: opt(int32("Share of what pods request, in percent, for type Utilization")),
});

/** How a service is scaled by what its pods measure. */
export const autoScaling = obj("Scaling by measurements of the pods", {
  metrics: opt(
    list(
      "Measurements to scale by; the one that asks for the most copies decides",
      obj("One measurement", {
        type: oneOf("Where the measurement comes from", ["PodMetric"]),
        podmetric: opt(
          obj("A measurement that each pod makes of itself", { metric: opt(metric), target: opt(target) }),
        ),
      }),
    ),
  ),
});
