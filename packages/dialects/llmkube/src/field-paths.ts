import type { FieldPaths } from "@trivium/domain";

/** Where people write what pods and other children of an InferenceService are built from. */
export const servicePaths: FieldPaths = {
  image: "spec.image",
  pullSecrets: "spec.imagePullSecrets",
  resources: "spec.resources",
  limits: "hardware.memoryBudget of the Model (there is no field for a CPU limit)",
  memory: "spec.resources.memory, or lower spec.contextSize",
  gpu: "spec.resources.gpu",
  environment: "spec.env",
  arguments: "spec.extraArgs",
  port: "spec.containerPort",
  probes: "spec.probeOverrides",
  scheduling: "spec.nodeSelector, spec.affinity or spec.tolerations",
  volumes: "spec.extraVolumes or spec.extraVolumeMounts",
  storage: "spec.modelCache, or --model-cache-storage-class of the operator",
  security: "spec.podSecurityContext or spec.securityContext",
  labels: "spec.podLabels or spec.podAnnotations",
  replicas: "spec.replicas",
  route: "annotation trivium.dev/gateway",
  scaling: "spec.autoscaling",
  source: "spec.source or spec.files of the Model",
  checksum: "spec.sha256 of the Model",
  token: "HF_TOKEN in spec.env",
};

/** Where people write what reads a bucket; the second as seen from a Model. */
export const bucketTokens = {
  service: "the credentials in spec.env, or spec.sourceSecretRef of the Model,",
  model: "spec.sourceSecretRef, or the credentials in spec.env of the InferenceService,",
};

/** Where people write what pods download, as seen from a Model. */
export const modelPaths: FieldPaths = {
  source: "spec.source or spec.files",
  checksum: "spec.sha256",
  token: "HF_TOKEN in spec.env of the InferenceService",
  storage: "spec.modelCache of the InferenceService",
};
