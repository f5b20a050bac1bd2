import { measuredWeightsFields } from "@trivium/engines";
import { defineKind } from "@trivium/kube";
import { int32, int64, list, obj, oneOf, opt, quantity, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { env, imagePullSecrets, runtimeConfigName } from "./pod-fields.ts";
import { conditions, observedGeneration, resolvedReference, state } from "./status-fields.ts";
import { immutable, sourceUriPattern } from "./vocabulary.ts";

const states = ["Pending", "Progressing", "Available", "Failed"] as const;

/** How other kinds speak of a model cache in their status. */
export const resolvedCacheFields = {
  uid: opt(str("UID of the model cache")),
  name: opt(str("Name of the model cache")),
  model: opt(str("Name of the model whose weights it contains")),
  status: opt(oneOf("State of the model cache", states)),
  persistentVolumeClaim: opt(str("PersistentVolumeClaim that contains the weights")),
  mountPoint: opt(str("Directory in the serving container where the weights are mounted")),
};
export const resolvedModelCache = obj("A model cache and the location of its weights", resolvedCacheFields);

const spec = obj("Weights to cache, and how to download them", {
  sourceUri: str(
    "Source of the weights: hf://organization/model, s3://bucket/key, or file:///path for a file or directory on the node that the operator allows. Immutable",
    {
      minLength: 1,
      pattern: sourceUriPattern,
      ...immutable("sourceUri"),
    },
  ),
  modelId: opt(str("Identifier of the weights, organization/name; defaults to the one in sourceUri")),
  storageClassName: opt(
    str("Storage class of the volume; defaults to that of the runtime config, then to the cluster's default class"),
  ),
  size: opt(quantity("Size of the weights; resolved before the download if omitted")),
  env: opt(env("Environment variables for the download, such as credentials")),
  modelDownloadImage: opt(str("Image that downloads the weights", { default: "kserve/storage-initializer:v0.16.0" })),
  imagePullSecrets: opt(imagePullSecrets("Secrets for pulling the download image")),
  runtimeConfigName: opt(runtimeConfigName()),
});

const progress = obj("Progress of the download", {
  totalBytes: opt(int64("Total size in bytes")),
  downloadedBytes: opt(int64("Downloaded bytes")),
  percentage: opt(int32("Downloaded share in percent")),
  displayPercentage: opt(str("Downloaded share in readable form, such as 42 %")),
  bytesPerSecond: opt(int64("Download rate in bytes per second")),
  secondsLeft: opt(int64("Estimated time until the download ends, in seconds")),
});

export const downloadFields = {
  protocol: opt(str("Current transfer protocol")),
  attempt: opt(int32("Number of the current attempt")),
  totalAttempts: opt(int32("Maximum number of attempts")),
  protocolSequence: opt(list("Transfer protocols, in the order in which they are tried", str(""))),
  message: opt(str("Last message of the downloader")),
};
const download = obj("Current download", downloadFields);

export const modelCacheStatusFields = {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  status: opt(state("State of the cache", states)),
  lastUsed: opt(time("Time when a service last used the weights")),
  persistentVolumeClaim: opt(str("PersistentVolumeClaim that contains the weights")),
  resolvedRuntimeConfig: opt(resolvedReference("Runtime config in effect")),
  progress: opt(progress),
  download: opt(download),
  displaySize: opt(str("Size of the weights in readable form, such as 15.2Gi")),
  mode: opt(oneOf("Whether the weights are shared or owned by one service", ["Shared", "Dedicated"])),
  discoveredSizeBytes: opt(int64("Size of the weights as reported by their source")),
  weights: opt(obj("Sizes that the memory of a service is computed from, of a GGUF file", measuredWeightsFields)),
  allocatedSize: opt(quantity("Size of the PersistentVolumeClaim")),
  headroomPercent: opt(int32("Extra space included in the size of the PersistentVolumeClaim, in percent")),
};
const status = obj("Observed state of the cache", modelCacheStatusFields);

/** All of the kind but its group. */
export const modelCacheDefinition = {
  scope: "Namespaced",
  kind: "AIMModelCache",
  plural: "aimmodelcaches",
  shortNames: ["aimmc"],
  description: "Caches one set of weights on a volume in its namespace",
  columns: [
    { name: "Cache Size", type: "string", jsonPath: ".spec.size" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "PVC", type: "string", jsonPath: ".status.persistentVolumeClaim" },
    { name: "Progress", type: "string", jsonPath: ".status.progress.displayPercentage", priority: 1 },
    { name: "Last Used", type: "date", jsonPath: ".status.lastUsed", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
} as const;

export const AIMModelCache = defineKind({ ...group, ...modelCacheDefinition });
