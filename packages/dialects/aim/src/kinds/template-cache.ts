import { defineKind } from "@trivium/kube";
import { map, obj, oneOf, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { resolvedModelCache } from "./model-cache.ts";
import { modelSources } from "./model-sources.ts";
import { env, imagePullSecrets, runtimeConfigName } from "./pod-fields.ts";
import { conditions, observedGeneration, resolvedReference, state } from "./status-fields.ts";
import { sameValue } from "./vocabulary.ts";

const spec = obj(
  "Template whose weights to cache, and how to download them",
  {
    templateRef: opt(
      str("Name of the AIMServiceTemplate or AIMClusterServiceTemplate whose weights to cache", { minLength: 1 }),
    ),
    templateName: opt(str("Alias of templateRef", { minLength: 1 })),
    templateScope: opt(oneOf("Scope in which to find the template", ["Namespace", "Cluster", "Unknown"])),
    mode: opt(
      oneOf(
        "Shared caches can be used by all services and are kept; dedicated caches are deleted with their owner",
        ["Shared", "Dedicated"],
        {
          default: "Shared",
        },
      ),
    ),
    env: opt(env("Environment variables for the download, such as credentials")),
    imagePullSecrets: opt(imagePullSecrets("Secrets for pulling the download image")),
    storageClassName: opt(
      str("Storage class of the volumes; defaults to that of the runtime config, then to the cluster's default class"),
    ),
    downloadImage: opt(str("Image that downloads the weights; defaults to that of the model cache")),
    modelSources: opt(modelSources("Weights to cache instead of those of the template")),
    runtimeConfigName: opt(runtimeConfigName()),
  },
  {
    rules: [
      {
        rule: "has(self.templateRef) || has(self.templateName)",
        message: "templateRef is required",
        reason: "FieldValueRequired",
      },
      sameValue("templateRef", "templateName"),
    ],
  },
);

export const templateCacheStatusFields = {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  resolvedRuntimeConfig: opt(resolvedReference("Runtime config in effect")),
  status: opt(state("State of the cache", ["Pending", "Progressing", "Available", "Failed"])),
  resolvedTemplateKind: opt(str("Kind of the resolved template: AIMServiceTemplate or AIMClusterServiceTemplate")),
  modelCaches: opt(map("Model caches that contain the weights, by name", resolvedModelCache)),
};
const status = obj("Observed state of the cache", templateCacheStatusFields);

/** All of the kind but its group. */
export const templateCacheDefinition = {
  scope: "Namespaced",
  kind: "AIMTemplateCache",
  plural: "aimtemplatecaches",
  shortNames: ["aimtc"],
  description: "Caches all weights that a service template needs on volumes in its namespace",
  columns: [
    { name: "Template", type: "string", jsonPath: ".spec['templateRef','templateName']" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Kind", type: "string", jsonPath: ".status.resolvedTemplateKind" },
    { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
} as const;

export const AIMTemplateCache = defineKind({ ...group, ...templateCacheDefinition });
