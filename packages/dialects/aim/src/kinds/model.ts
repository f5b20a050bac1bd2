import { defineTwin, type PrinterColumn } from "@trivium/kube";
import { bool, list, obj, oneOf, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { hardware } from "./hardware.ts";
import { imageMetadata } from "./image-metadata.ts";
import { customSources } from "./model-sources.ts";
import { env, imagePullSecrets, resources, runtimeConfigName, serviceAccountName } from "./pod-fields.ts";
import { conditions, observedGeneration, resolvedReference, state } from "./status-fields.ts";
import { metric, precision, profileType, sameValue } from "./vocabulary.ts";

const discovery = obj(
  "Discovery of the image",
  {
    enabled: opt(bool("Whether to inspect the image; defaults to the setting of the runtime config")),
    autoCreateTemplates: opt(
      bool("Whether to create a service template for each deployment that the image recommends"),
    ),
    extractMetadata: opt(bool("Alias of enabled")),
    createServiceTemplates: opt(bool("Alias of autoCreateTemplates")),
  },
  { rules: [sameValue("enabled", "extractMetadata"), sameValue("autoCreateTemplates", "createServiceTemplates")] },
);

const customTemplate = obj("A service template to create for a custom model", {
  name: opt(str("Name of the template; derived from its contents if omitted", { maxLength: 63 })),
  type: opt(profileType("Optimization level of this template; defaults to custom.type")),
  env: opt(env("Environment variables for the containers of this template")),
  hardware: opt(hardware("Hardware for this template; omitted fields default to those of custom.hardware")),
  profile: opt(
    obj("Profile of this template", {
      metric: opt(metric("Optimization goal")),
      precision: opt(precision("Numeric precision")),
    }),
  ),
});

const custom = obj("How to run a model whose image has no labels", {
  hardware: opt(hardware("Hardware for templates that specify none")),
  type: opt(profileType("Default optimization level of the templates", { default: "unoptimized" })),
  templates: opt(list("Service templates to create", customTemplate, { maxItems: 16 })),
});

const hardwareIsGiven = {
  rule: "!has(self.modelSources) || size(self.modelSources) == 0 || (has(self.custom) && has(self.custom.hardware)) || (has(self.custom) && has(self.custom.templates) && size(self.custom.templates) > 0 && self.custom.templates.all(t, has(t.hardware))) || (has(self.customTemplates) && size(self.customTemplates) > 0 && self.customTemplates.all(t, has(t.hardware)))",
  message: "a model with modelSources must set its hardware in custom.hardware or in every template",
};

const spec = obj(
  "Desired state of the model",
  {
    image: str("Container image that serves the model", { minLength: 1 }),
    discovery: opt(discovery),
    defaultServiceTemplate: opt(str("Template for services that specify none")),
    runtimeConfigName: opt(runtimeConfigName()),
    imagePullSecrets: opt(
      imagePullSecrets(
        "Secrets for pulling the image and reading its labels, in the model's namespace, or in the operator's namespace for a cluster-scoped model",
      ),
    ),
    serviceAccountName: opt(serviceAccountName("Service account of discovery pods")),
    resources: opt(resources("Resources of the serving container, unless the template or the service sets them")),
    modelSources: opt(customSources("Weights to serve with the image; if set, the model is a custom model")),
    custom: opt(custom),
    customTemplates: opt(
      list("Service templates to create, in addition to those in custom.templates", customTemplate, { maxItems: 16 }),
    ),
    env: opt(env("Environment variables for the containers of every template created for this model")),
    imageMetadata: opt(imageMetadata("Labels of the image; set them if its registry cannot be reached")),
  },
  { rules: [hardwareIsGiven] },
);

const status = obj("Observed state of the model", {
  observedGeneration: opt(observedGeneration()),
  status: opt(
    state("State of the model, derived from its templates", [
      "Pending",
      "Progressing",
      "Ready",
      "NotAvailable",
      "Degraded",
      "Failed",
    ]),
  ),
  conditions: opt(conditions()),
  resolvedRuntimeConfig: opt(resolvedReference("Runtime config in effect")),
  imageMetadata: opt(imageMetadata("Metadata from the labels of the image")),
  inspectedImage: opt(
    obj("Image whose labels were read. If its tag moves to another digest, the labels are read again", {
      reference: opt(str("Image reference in the spec")),
      digest: opt(str("Digest that the tag resolved to")),
      platform: opt(str("Operating system and architecture of the image")),
    }),
  ),
  sourceType: opt(
    oneOf("Whether the model is defined by its image alone or by an image with custom weights", ["Image", "Custom"]),
  ),
});

const columns: PrinterColumn[] = [
  { name: "Status", type: "string", jsonPath: ".status.status" },
  { name: "Image", type: "string", jsonPath: ".spec.image" },
  { name: "Source", type: "string", jsonPath: ".status.sourceType", priority: 1 },
  { name: "Model", type: "string", jsonPath: ".status.imageMetadata.model.canonicalName", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

/** All of the kind but its group. */
export const modelDefinition = {
  namespaced: {
    kind: "AIMModel",
    plural: "aimmodels",
    shortNames: ["aimmdl"],
    description: "A model for one namespace: the image that serves it and how it can run",
  },
  cluster: {
    kind: "AIMClusterModel",
    plural: "aimclustermodels",
    shortNames: ["aimclmdl"],
    description:
      "A model for all namespaces: the image that serves it and how it can run. An AIMModel of the same name takes precedence in its namespace",
  },
  columns,
  spec,
  status,
} as const;

export const [AIMModel, AIMClusterModel] = defineTwin({ ...group, ...modelDefinition });

/** The names under which older documents know the same two kinds. */
export const [AIMImage, AIMClusterImage] = defineTwin({
  ...group,
  namespaced: {
    kind: "AIMImage",
    plural: "aimimages",
    shortNames: ["aimimg"],
    description: "Older name of AIMModel, with the same fields. An AIMModel of the same name takes precedence",
  },
  cluster: {
    kind: "AIMClusterImage",
    plural: "aimclusterimages",
    shortNames: ["aimclimg"],
    description:
      "Older name of AIMClusterModel, with the same fields. An AIMClusterModel of the same name takes precedence",
  },
  columns,
  spec,
  status,
});
