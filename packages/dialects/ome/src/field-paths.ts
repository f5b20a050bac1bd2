import type { FieldPaths } from "@trivium/domain";

/** Where people write what the pods of a component are built from: in the service, or in the runtime that it uses. */
export function componentPaths(component: "engine" | "decoder" | "router"): FieldPaths {
  const spec = `spec.${component}`;
  const runner = `${spec}.runner`;
  return {
    image: `${runner}.image (or the image of the runtime)`,
    pullSecrets: `${spec}.imagePullSecrets`,
    resources: `${runner}.resources`,
    memory: `${runner}.resources.limits.memory`,
    gpu: `${runner}.resources`,
    environment: `${runner}.env (or env of the runtime)`,
    arguments: `${runner}.args (or args of the runtime)`,
    port: `${runner}.ports (or the ports of the runtime)`,
    probes: `${runner}.readinessProbe, livenessProbe and startupProbe, or those of the runtime`,
    scheduling: `${spec}.nodeSelector, ${spec}.affinity or ${spec}.tolerations`,
    volumes: `${spec}.volumes and ${runner}.volumeMounts`,
    security: `${runner}.securityContext or ${spec}.securityContext`,
    labels: `${spec}.labels or ${spec}.annotations`,
    replicas: `${spec}.minReplicas`,
    scaling: `${spec}.minReplicas, ${spec}.maxReplicas or ${spec}.scaleMetric`,
    route: "the ingress settings of ConfigMap inferenceservice-config",
    serviceAccount: `${spec}.serviceAccountName`,
    source: "spec.storage.storageUri of the model",
  };
}

/** Where people write what a benchmark's Job is built from. */
export const benchmarkPaths: FieldPaths = {
  image: "spec.podOverride.image",
  resources: "spec.podOverride.resources",
  memory: "spec.podOverride.resources.limits.memory",
  environment: "spec.podOverride.env",
  scheduling: "spec.podOverride.nodeSelector, affinity or tolerations",
  volumes: "spec.podOverride.volumes and volumeMounts",
  labels: "metadata.labels",
};

/** Where people write what the Job that reads a claim is built from. */
export const modelPaths: FieldPaths = {
  source: "spec.storage.storageUri",
  volumes: "spec.storage.storageUri",
  tokenSecret: "spec.storage.key",
};
