import type { InferencePlan } from "@trivium/domain";
import { addressNameOf, workloadNameOf } from "../names/names.ts";
import { annotationsOf } from "../names/serving-labels.ts";
import { containerOf, containerPort, imageOf, podOf } from "../pod/container.ts";
import { collectorAnnotations, lmCacheAnnotation } from "../pod/pod-annotations.ts";
import { defaultUtilization, isScaled, scalerAnnotation } from "./replicas.ts";
import type { PlacedInput } from "./server-input.ts";

/** What KServe is asked to run. */
export function planInference(input: PlacedInput): InferencePlan {
  const { service, template, kv, options, labels, replicas } = input;
  const name = workloadNameOf(service);
  const { min, max, scaler, metrics } = replicas;
  const scaled = service.spec.autoScaling === undefined ? {} : collectorAnnotations(addressNameOf(service));
  const use = { resource: "cpu", utilization: defaultUtilization } as const;
  return {
    name,
    labels,
    // The user can override the scaler and how it measures.
    annotations: {
      ...scaled,
      [scalerAnnotation]: scaler,
      ...annotationsOf(service),
      ...(max === 0 ? { "serving.kserve.io/stop": "true" } : {}),
    },
    server:
      options.runtimeMode === "inline"
        ? { is: "container", image: imageOf(input), port: containerPort }
        : { is: "runtime", name: template.name, format: { name: "aim", version: "1" } },
    container: containerOf(input),
    pod: podOf(input),
    ...(kv.is === "ready" ? { podAnnotations: { [lmCacheAnnotation]: kv.digest } } : {}),
    replicas: { min, max },
    // Bounds alone name no metric, and KEDA refuses to scale without one.
    ...(!isScaled({ scaler }) ? {} : { metrics: metrics.length === 0 ? [use] : metrics }),
  };
}
