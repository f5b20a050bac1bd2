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

const custom = obj("A model described on the spot", {
  modelSources: customSources("Weights to serve"),
  hardware: hardware("Hardware that each replica needs"),
  baseImage: opt(str("Image that serves the weights; the operator's default when left out")),
});

/** Both fields that the documents call model, in one object: the reference, and settings for a model made on the way. */
const model = obj(
  "Which model to serve: by name, by image, or described on the spot",
  {
    ref: opt(str("Name of an AIMModel, or else AIMClusterModel")),
    name: opt(str("Another spelling of ref")),
    image: opt(str("Container image; the model that has it is used, or one is created")),
    custom: opt(custom),
    ...ownModelSettings,
  },
  { rules: [sameValue("ref", "name")] },
);

const namesModel = "(has(self.model) && (has(self.model.ref) || has(self.model.name)))";
const modelRules: Rule[] = [
  {
    rule: `((${namesModel} || has(self.aimImageName)) ? 1 : 0) + ((has(self.model) && has(self.model.image)) ? 1 : 0) + ((has(self.model) && has(self.model.custom)) ? 1 : 0) == 1`,
    message:
      "say which model to serve in exactly one way: model.ref (also model.name or aimImageName), model.image or model.custom",
    fieldPath: ".model",
  },
  {
    rule: "!has(self.aimImageName) || !has(self.model) || ((!has(self.model.ref) || self.model.ref == self.aimImageName) && (!has(self.model.name) || self.model.name == self.aimImageName))",
    message: "aimImageName and model.ref are two spellings of the same field and must not differ",
  },
  {
    rule: "!has(self.templateRef) || !has(self.template) || !has(self.template.name) || self.templateRef == self.template.name",
    message: "templateRef and template.name are two spellings of the same field and must not differ",
  },
];

const kvCache = obj("Reuse of computed prompts through an AIMKVCache", {
  name: opt(str("AIMKVCache to use; made when there is none of this name. kvcache-<namespace> when left out")),
  type: opt(oneOf("Kind of cache, if one has to be made", kvCacheTypes, { default: "redis" })),
  ...kvCacheSettings,
  lmCacheConfig: opt(
    str("LMCache configuration in YAML, used as it is; {SERVICE_URL} stands for the address of the cache"),
  ),
});

const spec = obj(
  "What to serve, how, and how often",
  {
    model: opt(model),
    aimImageName: opt(str("Older spelling of model.ref")),
    templateRef: opt(
      str(
        "Name of the AIMServiceTemplate, or else AIMClusterServiceTemplate, to run; the best one is chosen when left out",
      ),
    ),
    template: opt(
      obj("How a template is chosen", {
        name: opt(str("Another spelling of templateRef")),
        allowUnoptimized: opt(bool("Let the choice fall on preview and unoptimized profiles too")),
      }),
    ),
    cacheModel: opt(bool("Fetch the weights into a shared cache first and start only then", { default: false })),
    caching: opt(
      obj("Where weights are kept; wins over cacheModel", {
        mode: opt(
          oneOf(
            "Shared or Always: a cache for everyone. Dedicated or Never: a cache of this service alone. Auto: a cache if there is one, else the container fetches by itself",
            ["Shared", "Dedicated", "Auto", "Always", "Never"],
          ),
        ),
        env: opt(env("Variables for the download, such as credentials")),
      }),
    ),
    replicas: opt(int32("How many copies to run, when nothing scales them", { default: 1 })),
    minReplicas: opt(int32("Fewest copies when scaled automatically; never zero", { minimum: 1 })),
    maxReplicas: opt(int32("Most copies when scaled automatically; switches automatic scaling on", { minimum: 1 })),
    autoScaling: opt(autoScaling),
    runtimeConfigName: opt(runtimeConfigName()),
    resources: opt(resources("Resources of the serving container; wins over template and model, key by key")),
    kvCache: opt(kvCache),
    overrides: opt(obj("What to change of the template, for this service only", runtimeParameters)),
    env: opt(env("Variables for the serving container and for downloads")),
    imagePullSecrets: opt(
      imagePullSecrets("Secrets for pulling images, added to those of model, template and runtime config"),
    ),
    serviceAccountName: opt(serviceAccountName("Account of the serving pods")),
    ...overridableSettings,
  },
  { rules: modelRules },
);

const status = obj("What was decided for the service and how it is doing", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  status: opt(state("State of the service", ["Pending", "Starting", "Running", "Failed", "Degraded"])),
  resolvedRuntimeConfig: opt(resolvedReference("The runtime config in effect")),
  resolvedImage: opt(resolvedReference("The model that is served")),
  resolvedModel: opt(resolvedReference("The model that is served; the same as resolvedImage")),
  resolvedTemplate: opt(
    obj("The template that was chosen", {
      ...referenceFields,
      profile: opt(obj("Its profile", { metadata: opt(profileMetadata) })),
    }),
  ),
  resolvedTemplateCache: opt(resolvedReference("The template cache that holds the weights")),
  modelCaches: opt(map("The model caches in use, by name", resolvedModelCache)),
  resolvedKVCache: opt(resolvedReference("The key-value cache in use")),
  routing: opt(
    obj("How the service is reached", { path: opt(str("Path prefix under which the Gateway passes requests on")) }),
  ),
  templateMatching: opt(
    obj("Why this template and no other", {
      candidates: opt(
        list(
          "Every template that was looked at",
          obj("A template and its verdict", {
            name: str("Name of the template"),
            status: oneOf("Its verdict", ["chosen", "rejected"]),
            reason: opt(str("Why")),
            message: opt(str("The same for people: each test it failed with the value seen and the value wanted")),
          }),
        ),
      ),
    }),
  ),
  runtime: opt(
    obj("How many copies there are", {
      currentReplicas: opt(int32("Copies that run")),
      desiredReplicas: opt(int32("Copies that should run")),
      minReplicas: opt(int32("Fewest copies")),
      maxReplicas: opt(int32("Most copies")),
      replicas: opt(str("All four for people, such as 2 or 2/3 (1-4)")),
    }),
  ),
});

export const AIMService = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "AIMService",
  plural: "aimservices",
  shortNames: ["aimsvc"],
  description: "Serves a model: chooses a template, fetches the weights, runs, scales and routes it",
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
});
