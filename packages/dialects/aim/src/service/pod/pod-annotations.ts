import { containerPort } from "./container.ts";

/** By these the OpenTelemetry operator adds a collector to a pod, which finds its port. */
export const collectorAnnotations = (collector: string): Record<string, string> => ({
  "sidecar.opentelemetry.io/inject": collector,
  "prometheus.kserve.io/port": String(containerPort),
});

export const lmCacheAnnotation = "aim.silogen.ai/lmcache-config";
