import { defineKind } from "@trivium/kube";
import { bool, int32, list, map, obj, oneOf, opt, type Rule, str } from "@trivium/schema";
import { group } from "../group.ts";
import { hardware, runtimeParameters } from "./hardware.ts";
import { kvCacheSettings, kvCacheTypes } from "./kv-cache.ts";
import { resolvedModelCache } from "./model-cache.ts";
import { customSources } from "./model-sources.ts";
import { env, imagePullSecrets, resources, runtimeConfigName, serviceAccountName } from "./pod-fields.ts";
import { profileMetadata } from "./profile.ts";
import { overridableSettings, ownModelSettings } from "./runtime-settings.ts";
import { autoScaling } from "./scaling.ts";
import { conditions, observedGeneration, referenceFields, resolvedReference, state } from "./status-fields.ts";
import { sameValue } from "./vocabulary.ts";

const custom = obj("An inline model", {
  modelSources: customSources("Weights to serve"),
  hardware: hardware("Hardware that each replica needs"),
  baseImage: opt(str("Image that serves the weights; defaults to the image configured in the operator")),
});

/** Both fields that the documents call model, in one object: the reference, and settings for a model made on the way. */
const model = obj(
  "Model to serve: by name, by image, or inline",
  {
    ref: opt(str("Name of an AIMModel or AIMClusterModel; the AIMModel takes precedence")),
    name: opt(str("Alias of ref")),
    image: opt(str("Container image. The model with this image is used; if there is none, it is created")),
    custom: opt(custom),
    ...ownModelSettings,
  },
  { rules: [sameValue("ref", "name")] },
);

const namesModel = "(has(self.model) && (has(self.model.ref) || has(self.model.name)))";
const modelRules: Rule[] = [
  {
    rule: `((${namesModel} || has(self.aimImageName)) ? 1 : 0) + ((has(self.model) && has(self.model.image)) ? 1 : 0) + ((has(self.model) && has(self.model.custom)) ? 1 : 0) == 1`,
    message: "set exactly one of model.ref (or its aliases model.name and aimImageName), model.image and model.custom",
    fieldPath: ".model",
  },
  {
    rule: "!has(self.aimImageName) || !has(self.model) || ((!has(self.model.ref) || self.model.ref == self.aimImageName) && (!has(self.model.name) || self.model.name == self.aimImageName))",
    message: "aimImageName and model.ref are the same field and must not differ",
  },
  {
    rule: "!has(self.templateRef) || !has(self.template) || !has(self.template.name) || self.templateRef == self.template.name",
    message: "templateRef and template.name are the same field and must not differ",
  },
];

const kvCache = obj("Reuse of computed prompts in an AIMKVCache", {
  name: opt(str("AIMKVCache to use, which is created if it does not exist; defaults to kvcache-<namespace>")),
  type: opt(oneOf("Type of the cache to create if it does not exist", kvCacheTypes, { default: "redis" })),
  ...kvCacheSettings,
  lmCacheConfig: opt(
    str(
      "LMCache configuration in YAML, used unchanged except that {SERVICE_URL} is replaced by the address of the cache",
    ),
  ),
});

const spec = obj(
  "Desired state of the service",
  {
    model: opt(model),
    aimImageName: opt(str("Older name of model.ref")),
    templateRef: opt(
      str("Name of the AIMServiceTemplate or AIMClusterServiceTemplate to run; the best match is selected if omitted"),
    ),
    template: opt(
      obj("Template selection", {
        name: opt(str("Alias of templateRef")),
        allowUnoptimized: opt(bool("Whether preview and unoptimized profiles can be selected")),
      }),
    ),
    cacheModel: opt(
      bool("Whether to download the weights into a shared cache before the service starts", { default: false }),
    ),
    caching: opt(
      obj("Caching of weights; overrides cacheModel", {
        mode: opt(
          oneOf(
            "Shared or Always: use a shared cache. Dedicated or Never: use a cache that only this service uses. Auto: use a shared cache if one exists; otherwise the container downloads the weights",
            ["Shared", "Dedicated", "Auto", "Always", "Never"],
          ),
        ),
        env: opt(env("Environment variables for the download, such as credentials")),
      }),
    ),
    replicas: opt(int32("Number of replicas without autoscaling", { default: 1 })),
    minReplicas: opt(int32("Minimum number of replicas with autoscaling; at least 1", { minimum: 1 })),
    maxReplicas: opt(
      int32("Maximum number of replicas with autoscaling; setting it enables autoscaling", { minimum: 1 }),
    ),
    autoScaling: opt(autoScaling),
    runtimeConfigName: opt(runtimeConfigName()),
    resources: opt(
      resources("Resources of the serving container; each entry overrides that of the template and the model"),
    ),
    kvCache: opt(kvCache),
    overrides: opt(obj("Changes to the template for this service only", runtimeParameters)),
    env: opt(env("Environment variables for the serving container and for downloads")),
    imagePullSecrets: opt(
      imagePullSecrets("Secrets for pulling images, added to those of the model, the template and the runtime config"),
    ),
    serviceAccountName: opt(serviceAccountName("Service account of the serving pods")),
    ...overridableSettings,
  },
  { rules: modelRules },
);

const failedRequirement = obj("A requirement that the template does not meet", {
  requirement: str("Name of the requirement, such as GPU count"),
  reason: str("Reason for the result"),
  actual: str("Value of the template"),
  required: str("Value that would be accepted"),
});

const candidate = obj("A template and its result", {
  name: str("Name of the template"),
  scope: opt(oneOf("Scope of the template", ["Namespace", "Cluster"])),
  status: oneOf("Result for the template", ["chosen", "rejected"]),
  reason: opt(str("Reason for the result")),
  message: opt(str("Explanation: each failed requirement with its actual value")),
  failed: opt(list("Requirements that the template does not meet", failedRequirement)),
  outranked: opt(
    obj("Preference on which a template that meets all requirements lost to the chosen one", {
      preference: str("Name of the preference, such as precision"),
      actual: str("Value of the template"),
      best: str("Value of the chosen template"),
    }),
  ),
  change: opt(str("Smallest change with which the template would be accepted")),
});

export const serviceStatusFields = {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  status: opt(state("State of the service", ["Pending", "Starting", "Running", "Failed", "Degraded"])),
  resolvedRuntimeConfig: opt(resolvedReference("Runtime config in effect")),
  resolvedImage: opt(resolvedReference("Model that is served")),
  resolvedModel: opt(resolvedReference("Model that is served; same as resolvedImage")),
  resolvedTemplate: opt(
    obj("Selected template", {
      ...referenceFields,
      profile: opt(obj("Profile of the template", { metadata: opt(profileMetadata) })),
    }),
  ),
  resolvedTemplateCache: opt(resolvedReference("Template cache that contains the weights")),
  modelCaches: opt(map("Model caches in use, by name", resolvedModelCache)),
  resolvedKVCache: opt(resolvedReference("Key-value cache in use")),
  routing: opt(
    obj("HTTP routing of the service", {
      path: opt(str("Path prefix of requests that the Gateway routes to the service")),
    }),
  ),
  templateMatching: opt(
    obj("Results of the template selection", {
      because: opt(str("Why the template was chosen, or why none was")),
      candidates: opt(list("All templates that were considered", candidate)),
    }),
  ),
  runtime: opt(
    obj("Replicas of the service", {
      currentReplicas: opt(int32("Number of current replicas")),
      desiredReplicas: opt(int32("Number of desired replicas")),
      minReplicas: opt(int32("Minimum number of replicas")),
      maxReplicas: opt(int32("Maximum number of replicas")),
      replicas: opt(str("Summary of the replicas, such as 2 or 2/3 (1-4)")),
    }),
  ),
};
const status = obj("Observed state of the service", serviceStatusFields);

/** All of the kind but its group. */
export const serviceDefinition = {
  scope: "Namespaced",
  kind: "AIMService",
  plural: "aimservices",
  shortNames: ["aimsvc"],
  description: "Serves a model: selects a template, downloads the weights, and runs, scales and routes the model",
  columns: [
    { name: "Status", type: "string", jsonPath: ".status.status" },
    { name: "Reason", type: "string", jsonPath: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: "Model", type: "string", jsonPath: ".status.resolvedImage.name" },
    { name: "Template", type: "string", jsonPath: ".status.resolvedTemplate.name" },
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Profile", type: "string", jsonPath: ".status.resolvedTemplate.profile.metadata.type" },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.runtime.currentReplicas" },
  spec,
  status,
} as const;

export const AIMService = defineKind({ ...group, ...serviceDefinition });
