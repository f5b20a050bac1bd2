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
  "Whether and how the image is looked into",
  {
    enabled: opt(bool("Look into the image; when left out, the runtime config decides")),
    autoCreateTemplates: opt(bool("Make a service template for each deployment that the image recommends")),
    extractMetadata: opt(bool("Another spelling of enabled")),
    createServiceTemplates: opt(bool("Another spelling of autoCreateTemplates")),
  },
  { rules: [sameValue("enabled", "extractMetadata"), sameValue("autoCreateTemplates", "createServiceTemplates")] },
);

const customTemplate = obj("A service template to make for a custom model", {
  name: opt(str("Name of the template; derived from its contents when left out", { maxLength: 63 })),
  type: opt(profileType("How far this way of running was tuned; taken from custom.type when left out")),
  env: opt(env("Variables for containers of this template")),
  hardware: opt(hardware("Hardware of this template; each field left out is taken from custom.hardware")),
  profile: opt(
    obj("What this template is made for", {
      metric: opt(metric("What it is optimised for")),
      precision: opt(precision("Numeric precision it runs with")),
    }),
  ),
});

const custom = obj("How a model without labels of its own is run", {
  hardware: opt(hardware("Hardware for every template that states none")),
  type: opt(profileType("How far the ways of running this model were tuned", { default: "unoptimized" })),
  templates: opt(list("Service templates to make", customTemplate, { maxItems: 16 })),
});

const hardwareIsGiven = {
  rule: "!has(self.modelSources) || size(self.modelSources) == 0 || (has(self.custom) && has(self.custom.hardware)) || (has(self.custom) && has(self.custom.templates) && size(self.custom.templates) > 0 && self.custom.templates.all(t, has(t.hardware))) || (has(self.customTemplates) && size(self.customTemplates) > 0 && self.customTemplates.all(t, has(t.hardware)))",
  message: "a model with modelSources must say its hardware, in custom.hardware or in every template",
};

const spec = obj(
  "What the model is and how it is looked into",
  {
    image: str("Container image that serves the model", { minLength: 1 }),
    discovery: opt(discovery),
    defaultServiceTemplate: opt(str("Template for services that name none")),
    runtimeConfigName: opt(runtimeConfigName()),
    imagePullSecrets: opt(
      imagePullSecrets(
        "Secrets for pulling the image and reading its labels; in the model's namespace, or the operator's for a cluster-wide model",
      ),
    ),
    serviceAccountName: opt(serviceAccountName("Account of pods that look into the image")),
    resources: opt(resources("Resources of a serving container, unless template or service say otherwise")),
    modelSources: opt(customSources("Weights to serve with the image; makes this a custom model")),
    custom: opt(custom),
    customTemplates: opt(
      list("Service templates to make, in addition to those in custom.templates", customTemplate, { maxItems: 16 }),
    ),
    env: opt(env("Variables for containers of every template made for this model")),
    imageMetadata: opt(imageMetadata("Labels of the image, given here where its registry cannot be reached")),
  },
  { rules: [hardwareIsGiven] },
);

const status = obj("What is known of the model", {
  observedGeneration: opt(observedGeneration()),
  status: opt(
    state("State of the model, summed up from its templates", [
      "Pending",
      "Progressing",
      "Ready",
      "NotAvailable",
      "Degraded",
      "Failed",
    ]),
  ),
  conditions: opt(conditions()),
  resolvedRuntimeConfig: opt(resolvedReference("The runtime config in effect")),
  imageMetadata: opt(imageMetadata("What the labels of the image say")),
  inspectedImage: opt(
    obj("The image whose labels were read; a tag that leads to another digest is read anew", {
      reference: opt(str("Image as the spec names it")),
      digest: opt(str("Digest that its tag led to")),
      platform: opt(str("Operating system and processor it is for")),
    }),
  ),
  sourceType: opt(oneOf("Whether the model is its image or an image with weights of its own", ["Image", "Custom"])),
});

const columns: PrinterColumn[] = [
  { name: "Status", type: "string", jsonPath: ".status.status" },
  { name: "Image", type: "string", jsonPath: ".spec.image" },
  { name: "Source", type: "string", jsonPath: ".status.sourceType", priority: 1 },
  { name: "Model", type: "string", jsonPath: ".status.imageMetadata.model.canonicalName", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

export const [AIMModel, AIMClusterModel] = defineTwin({
  ...group,
  namespaced: {
    kind: "AIMModel",
    plural: "aimmodels",
    shortNames: ["aimmdl"],
    description: "A model of one namespace: which image serves it and how it can run",
  },
  cluster: {
    kind: "AIMClusterModel",
    plural: "aimclustermodels",
    shortNames: ["aimclmdl"],
    description:
      "A model for all namespaces: which image serves it and how it can run. An AIMModel of the same name wins in its namespace",
  },
  columns,
  spec,
  status,
});

/** The names under which older documents know the same two kinds. */
export const [AIMImage, AIMClusterImage] = defineTwin({
  ...group,
  namespaced: {
    kind: "AIMImage",
    plural: "aimimages",
    shortNames: ["aimimg"],
    description: "Older name of AIMModel, with the same fields. An AIMModel of the same name wins",
  },
  cluster: {
    kind: "AIMClusterImage",
    plural: "aimclusterimages",
    shortNames: ["aimclimg"],
    description: "Older name of AIMClusterModel, with the same fields. An AIMClusterModel of the same name wins",
  },
  columns,
  spec,
  status,
});
