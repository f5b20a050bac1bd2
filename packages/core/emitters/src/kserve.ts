import type { InferencePlan } from "@trivium/domain";
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
        ...(metrics === undefined
          ? {}
          : {
              autoScaling: {
                metrics: metrics.map(({ metric: { metricNames, ...metric }, target }) => ({
                  type: "PodMetric",
                  podmetric: {
                    metric: { ...metric, ...(metricNames === undefined ? {} : { metricNames: [...metricNames] }) },
                    target,
                  },
                })),
              },
            }),
        ...pod,
        model: { modelFormat: { ...format }, runtime, ...container },
      },
    },
  };
  return { kind: KServeInferenceService, object };
}
