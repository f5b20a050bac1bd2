import { defineKind } from "@trivium/kube";
import { map, obj, oneOf, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { resolvedModelCache } from "./model-cache.ts";
import { modelSources } from "./model-sources.ts";
import { env, imagePullSecrets, runtimeConfigName } from "./pod-fields.ts";
import { conditions, observedGeneration, resolvedReference, state } from "./status-fields.ts";
import { sameValue } from "./vocabulary.ts";

const spec = obj(
  "Which template's weights to keep, and how to fetch them",
  {
    templateRef: opt(
      str("Name of the AIMServiceTemplate, or else AIMClusterServiceTemplate, to keep weights for", { minLength: 1 }),
    ),
    templateName: opt(str("Another spelling of templateRef", { minLength: 1 })),
    templateScope: opt(oneOf("Look for the template in this scope only", ["Namespace", "Cluster", "Unknown"])),
    mode: opt(
      oneOf("Shared caches serve everyone and stay; dedicated ones go with their owner", ["Shared", "Dedicated"], {
        default: "Shared",
      }),
    ),
    env: opt(env("Variables for the download, such as credentials")),
    imagePullSecrets: opt(imagePullSecrets("Secrets for pulling the download image")),
    storageClassName: opt(
      str("Storage class of the volumes; the runtime config's, then the cluster's default when left out"),
    ),
    downloadImage: opt(str("Image that fetches the weights; the model cache's own choice when left out")),
    modelSources: opt(modelSources("Weights to keep, when the template's own list is not to be used")),
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

const status = obj("How far the weights are", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  resolvedRuntimeConfig: opt(resolvedReference("The runtime config in effect")),
  status: opt(state("State of the cache", ["Pending", "Progressing", "Available", "Failed"])),
  resolvedTemplateKind: opt(
    str("Kind of the template that was found: AIMServiceTemplate or AIMClusterServiceTemplate"),
  ),
  modelCaches: opt(map("The model caches that hold the weights, by name", resolvedModelCache)),
});

export const AIMTemplateCache = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "AIMTemplateCache",
  plural: "aimtemplatecaches",
  shortNames: ["aimtc"],
  description: "Keeps all weights that a service template needs on volumes of this namespace",
  columns: [
    { name: "Template", type: "string", jsonPath: ".spec['templateRef','templateName']" },
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Kind", type: "string", jsonPath: ".status.resolvedTemplateKind" },
    { name: "Mode", type: "string", jsonPath: ".spec.mode", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec,
  status,
});
