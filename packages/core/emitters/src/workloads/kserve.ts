import type { InferencePlan, PodMetricPlan, UsePlan } from "@trivium/domain";
import { KServeInferenceService } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { withoutToken } from "./pod-template.ts";

export function emitInferenceService(plan: InferencePlan): Desired<KServeInferenceService> {
  const { name, labels, annotations, pod, podAnnotations, replicas, metrics } = plan;
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
        ...withoutToken(pod),
        ...serverOf(plan),
      },
    },
  };
  return { kind: KServeInferenceService, object };
}

type Predictor = KServeInferenceService["spec"]["predictor"];

function serverOf({ server, container }: InferencePlan): Pick<Predictor, "model" | "containers"> {
  if (server.is === "runtime") {
    const { name: runtime, format } = server;
    return { model: { modelFormat: { ...format }, runtime, ...container } };
  }
  const ports = [{ name: "http", containerPort: server.port, protocol: "TCP" as const }];
  return { containers: [{ name: "kserve-container", image: server.image, ports, ...container }] };
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
