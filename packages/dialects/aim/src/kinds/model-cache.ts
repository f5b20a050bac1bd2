import { defineKind } from "@trivium/kube";
import { int32, int64, list, obj, oneOf, opt, quantity, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { env, imagePullSecrets, runtimeConfigName } from "./pod-fields.ts";
import { conditions, observedGeneration, resolvedReference, state } from "./status-fields.ts";
import { immutable, sourceUriPattern } from "./vocabulary.ts";

const states = ["Pending", "Progressing", "Available", "Failed"] as const;

/** How other kinds speak of a model cache in their status. */
export const resolvedModelCache = obj("A model cache and where its weights are", {
  uid: opt(str("Its uid")),
  name: opt(str("Its name")),
  model: opt(str("Name of the model whose weights it holds")),
  status: opt(oneOf("Its state", states)),
  persistentVolumeClaim: opt(str("Claim that holds the weights")),
  mountPoint: opt(str("Folder at which the serving container sees them")),
});

const spec = obj("Which weights to keep, and how to fetch them", {
  sourceUri: str(
    "Where the weights are fetched from: hf://organisation/model, s3://bucket/key, or file:///path of a file or folder of the node that the operator allows. Cannot be changed",
    {
      minLength: 1,
      pattern: sourceUriPattern,
      ...immutable("sourceUri"),
    },
  ),
  modelId: opt(str("Identity organisation/name of the weights; taken from sourceUri when left out")),
  storageClassName: opt(
    str("Storage class of the volume; the runtime config's, then the cluster's default when left out"),
  ),
  size: opt(quantity("Size of the weights; measured before the download when left out")),
  env: opt(env("Variables for the download, such as credentials")),
  modelDownloadImage: opt(str("Image that fetches the weights", { default: "kserve/storage-initializer:v0.16.0" })),
  imagePullSecrets: opt(imagePullSecrets("Secrets for pulling the download image")),
  runtimeConfigName: opt(runtimeConfigName()),
});

const progress = obj("How much of the weights has arrived", {
  totalBytes: opt(int64("Bytes to fetch")),
  downloadedBytes: opt(int64("Bytes that have arrived")),
  percentage: opt(int32("Share that has arrived, in percent")),
  displayPercentage: opt(str("The same for people, such as 42 %")),
});

const download = obj("The download that is under way", {
  protocol: opt(str("How bytes are fetched at the moment")),
  attempt: opt(int32("Which try this is")),
  totalAttempts: opt(int32("Tries that are allowed before it is given up")),
  protocolSequence: opt(list("Ways of fetching, in the order they are tried", str(""))),
  message: opt(str("What the downloader last said")),
});

const status = obj("How far the weights are", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  status: opt(state("State of the cache", states)),
  lastUsed: opt(time("When a service last used these weights")),
  persistentVolumeClaim: opt(str("Claim that holds the weights")),
  resolvedRuntimeConfig: opt(resolvedReference("The runtime config in effect")),
  progress: opt(progress),
  download: opt(download),
  displaySize: opt(str("Size of the weights for people, such as 15.2 GiB")),
  mode: opt(oneOf("Whether everyone shares these weights or one service owns them", ["Shared", "Dedicated"])),
  discoveredSizeBytes: opt(int64("Size of the weights as their source states it")),
  allocatedSize: opt(quantity("Size of the claim")),
  headroomPercent: opt(int32("Extra room that went into the size of the claim, in percent")),
});

export const AIMModelCache = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "AIMModelCache",
  plural: "aimmodelcaches",
  shortNames: ["aimmc"],
  description: "Keeps one set of weights on a volume of this namespace",
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
});
