import type { InferencePlan, PodMetricPlan, UsePlan } from "@trivium/domain";
import { KServeInferenceService } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

export function emitInferenceService(plan: InferencePlan): Desired<KServeInferenceService> {
  const { name, labels, annotations, runtime, format, container, pod, podAnnotations, replicas, metrics } = plan;
  const object: KServeInferenceService = {
    apiVersion: "serving.kserve.io/v1beta1",
    kind: "InferenceService",
    metadata: { name, labels: { ...labels }, annotations: { ...annotations } },
    spec: {
      predictor: {
        ...(podAnnotations === undefined ? {} : { annotations: { ...podAnnotations } }),
        minReplicas: replicas.min,
        maxReplicas: replicas.max,
        ...(metrics === undefined ? {} : { autoScaling: { metrics: metrics.map(metricOf) } }),
        ...pod,
        model: { modelFormat: { ...format }, runtime, ...container },
      },
    },
  };
  return { kind: KServeInferenceService, object };
}

type Metric = NonNullable<NonNullable<KServeInferenceService["spec"]["predictor"]["autoScaling"]>["metrics"]>[number];

function metricOf(plan: PodMetricPlan | UsePlan): Metric {
  if ("resource" in plan) {
    const { resource: name, utilization: averageUtilization } = plan;
    return { type: "Resource", resource: { name, target: { type: "Utilization", averageUtilization } } };
  }
  const { metricNames, ...metric } = plan.metric;
  const names = metricNames === undefined ? {} : { metricNames: [...metricNames] };
  return { type: "PodMetric", podmetric: { metric: { ...metric, ...names }, target: plan.target } };
}
