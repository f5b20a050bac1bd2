import type { FieldPaths } from "@trivium/domain";
import type { Service } from "./service/names/names.ts";

/** Where people write what pods and other children of an AIMService are built from. */
export const servicePaths: FieldPaths = {
  image: "spec.image of the model",
  pullSecrets: "spec.imagePullSecrets",
  resources: "spec.resources",
  memory: "spec.resources.limits.memory",
  gpu: "spec.overrides.hardware.gpu or spec.resources",
  environment: "spec.env",
  arguments: "spec.overrides or the template",
  scheduling: "spec.overrides.hardware or the template",
  storage: "spec.storage of the runtime config",
  labels: "metadata.labels or spec.labelPropagation of the runtime config",
  replicas: "spec.replicas",
  scaling: "spec.autoScaling, spec.minReplicas or spec.maxReplicas",
  route: "spec.routing",
  serviceAccount: "spec.serviceAccountName of the service and of its model",
  source: "spec.modelSources of the template",
  token: "the credentials in spec.caching.env or spec.env",
};

/** The same for one service: the model of an image or of weights is created from what the service itself states. */
export function servicePathsOf({ spec: { model } }: Pick<Service, "spec">): FieldPaths {
  if (model?.custom !== undefined) return { ...servicePaths, image: "spec.model.custom.baseImage" };
  return model?.image === undefined ? servicePaths : { ...servicePaths, image: "spec.model.image" };
}

/** Where people write what the Jobs and claims of a cache are built from. */
export const cachePaths: FieldPaths = {
  ...servicePaths,
  image: "spec.modelDownloadImage",
  resources: "spec.size",
  storage: "spec.storageClassName and spec.size, or spec.storage of the runtime config",
  environment: "spec.env",
  labels: "metadata.labels",
  source: "spec.sourceUri",
  token: "the credentials in spec.env",
};

/** Where people write the source of a cache that a template has created: the spec of such a cache is not theirs. */
export const templateSourceField = "modelSources in the spec of the service, model or template";

/** Where the class of a claim is set; a claim keeps the class that it was created with. */
export const storageClassField = "spec.storageClassName or spec.storage of the runtime config, and delete the claim";
/** Where the size of a claim comes from. */
export const claimSizeField = "spec.size or the headroom in the runtime config";

export const kvCachePaths: FieldPaths = {
  image: "spec.image",
  environment: "spec.env",
  resources: "spec.resources",
  memory: "spec.resources.limits.memory",
  storage: "spec.storage",
  labels: "metadata.labels",
};

/** Where people write what the children of models, templates and sources are built from. */
export const catalogPaths: FieldPaths = {
  image: "spec.image",
  pullSecrets: "spec.imagePullSecrets",
  resources: "spec.resources",
  environment: "spec.env",
  serviceAccount: "spec.serviceAccountName",
  labels: "metadata.labels",
  storage: "spec.caching",
};
