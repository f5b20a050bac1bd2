import { defineKind, k8s, type PrinterColumn } from "@trivium/kube";
import { as, bool, int32, obj, opt, type Rule, str, time } from "@trivium/schema";
import { group } from "../group.ts";
import { hardware, runtimeParameters } from "./hardware.ts";
import { modelSources } from "./model-sources.ts";
import { env, imagePullSecrets, resources, runtimeConfigName, serviceAccountName } from "./pod-fields.ts";
import { profile } from "./profile.ts";
import { conditions, observedGeneration, resolvedReference, state } from "./status-fields.ts";
import { immutable, profileType, sameValue } from "./vocabulary.ts";

const modelIsNamed: Rule = {
  rule: "has(self.modelName) || has(self.aimImageName)",
  message: "modelName is required",
  reason: "FieldValueRequired",
};

const sharedFields = {
  modelName: opt(
    str("Name of the AIMModel or AIMClusterModel that this template runs. Immutable", {
      minLength: 1,
      ...immutable("modelName"),
    }),
  ),
  aimImageName: opt(str("Older name of modelName", { minLength: 1, ...immutable("aimImageName") })),
  ...runtimeParameters,
  runtimeConfigName: opt(runtimeConfigName()),
  imagePullSecrets: opt(
    imagePullSecrets(
      "Secrets for pulling the image, added to those of the model and the runtime config, in the template's namespace, or in the operator's namespace for a cluster-scoped template",
    ),
  ),
  serviceAccountName: opt(serviceAccountName("Service account of discovery and serving pods")),
  resources: opt(resources("Resources of the serving container, unless the service sets them")),
  modelSources: opt(
    modelSources("Weights that this template needs. If set, they are used unchanged and no discovery Job runs"),
  ),
  profileId: opt(str("Profile of the image to use; the image selects one if omitted")),
  type: opt(profileType("Optimization level of this template, if discovery does not report it")),
  env: opt(env("Environment variables for discovery, download and serving")),
};

const caching = obj("Download of weights before the first service is created", {
  enabled: opt(bool("Whether to download the weights as soon as the template is ready", { default: false })),
  env: opt(env("Environment variables for the download, such as credentials")),
});

const specKeywords = { rules: [modelIsNamed, sameValue("modelName", "aimImageName")] };
const namespacedSpec = obj(
  "A way to run a model on specific hardware",
  { ...sharedFields, caching: opt(caching) },
  specKeywords,
);
const clusterSpec = obj("A way to run a model on specific hardware", sharedFields, specKeywords);

const discovery = obj("State of discovery", {
  attempts: opt(int32("Number of attempts")),
  lastAttemptTime: opt(time("Time of the last attempt")),
  lastFailureReason: opt(str("Reason of the last failure")),
  lastFailureMessage: opt(str("Why the last attempt failed")),
  specHash: opt(str("Hash of the spec at the last attempt")),
  image: opt(
    str("Image that the discovery results belong to; services run it until discovery of another image succeeds"),
  ),
  imageDigest: opt(str("Digest that the tag of the image resolved to at discovery")),
  refresh: opt(
    obj("State of the discovery that runs after the tag moved to another image", {
      imageDigest: opt(str("Digest that the tag currently resolves to")),
      attempts: opt(int32("Number of attempts")),
      lastAttemptTime: opt(time("Time of the last attempt")),
      lastFailureReason: opt(str("Reason of the last failure")),
      lastFailureMessage: opt(str("Why the last attempt failed")),
    }),
  ),
});

const status = obj("Observed state of the template", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  resolvedRuntimeConfig: opt(resolvedReference("Runtime config in effect")),
  resolvedModel: opt(resolvedReference("Model that this template runs")),
  resolvedCache: opt(resolvedReference("Template cache that contains the weights")),
  status: opt(
    state("State of the template", ["Pending", "Progressing", "NotAvailable", "Ready", "Degraded", "Failed"]),
  ),
  modelSources: opt(modelSources("Weights that this template needs, from the spec or from discovery")),
  profile: opt(profile),
  hardwareSummary: opt(str("Summary of the hardware, such as 2 x MI300X or CPU")),
  resolvedHardware: opt(hardware("Hardware that each replica requests")),
  resolvedNodeAffinity: opt(as(k8s.NodeAffinity, "Nodes that a replica can run on")),
  discoveryJob: opt(resolvedReference("Job that runs discovery")),
  discovery: opt(discovery),
});

const columns = (...extra: PrinterColumn[]): PrinterColumn[] => [
  { name: "Status", type: "string", jsonPath: ".status.status" },
  ...extra,
  { name: "Engine", type: "string", jsonPath: ".status.profile.metadata.engine" },
  { name: "Metric", type: "string", jsonPath: ".status.profile.metadata.metric" },
  { name: "Precision", type: "string", jsonPath: ".status.profile.metadata.precision" },
  { name: "Profile", type: "string", jsonPath: ".status.profile.metadata.type" },
  { name: "GPUs/replica", type: "integer", jsonPath: ".status.profile.metadata.gpuCount" },
  { name: "GPU", type: "string", jsonPath: ".status.profile.metadata.gpu" },
  { name: "Hardware", type: "string", jsonPath: ".status.hardwareSummary", priority: 1 },
];
const modelColumn: PrinterColumn = { name: "Model", type: "string", jsonPath: ".spec['modelName','aimImageName']" };

/** All of the kind but its group. */
export const templateDefinition = {
  scope: "Namespaced",
  kind: "AIMServiceTemplate",
  plural: "aimservicetemplates",
  shortNames: ["aimst", "aimtpl"],
  description: "A way to run a model on specific hardware, for services of one namespace",
  columns: columns(modelColumn),
  spec: namespacedSpec,
  status,
} as const;

export const AIMServiceTemplate = defineKind({ ...group, ...templateDefinition });

/** All of the kind but its group. */
export const clusterTemplateDefinition = {
  scope: "Cluster",
  kind: "AIMClusterServiceTemplate",
  plural: "aimclusterservicetemplates",
  shortNames: ["aimclst", "aimcltpl"],
  description:
    "A way to run a model on specific hardware, for services of all namespaces. An AIMServiceTemplate of the same name takes precedence in its namespace",
  columns: columns(),
  spec: clusterSpec,
  status,
} as const;

export const AIMClusterServiceTemplate = defineKind({ ...group, ...clusterTemplateDefinition });
