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
    str("Name of the AIMModel or AIMClusterModel this template runs. Cannot be changed", {
      minLength: 1,
      ...immutable("modelName"),
    }),
  ),
  aimImageName: opt(str("Older spelling of modelName", { minLength: 1, ...immutable("aimImageName") })),
  ...runtimeParameters,
  runtimeConfigName: opt(runtimeConfigName()),
  imagePullSecrets: opt(
    imagePullSecrets(
      "Secrets for pulling the image, added to those of model and runtime config; in the template's namespace, or the operator's for a cluster-wide template",
    ),
  ),
  serviceAccountName: opt(serviceAccountName("Account of discovery and serving pods")),
  resources: opt(resources("Resources of a serving container, unless the service says otherwise")),
  modelSources: opt(
    modelSources("Weights this template needs. When given, no discovery Job runs and these are used as they are"),
  ),
  profileId: opt(str("Profile of the image to use, instead of letting the image choose")),
  type: opt(profileType("How far this way of running was tuned, where no discovery tells")),
  env: opt(env("Variables for discovery, download and serving")),
};

const caching = obj("Whether weights are fetched ahead of the first service", {
  enabled: opt(bool("Fetch the weights as soon as the template is ready", { default: false })),
  env: opt(env("Variables for the download, such as credentials")),
});

const specKeywords = { rules: [modelIsNamed, sameValue("modelName", "aimImageName")] };
const namespacedSpec = obj(
  "One way to run a model on given hardware",
  { ...sharedFields, caching: opt(caching) },
  specKeywords,
);
const clusterSpec = obj("One way to run a model on given hardware", sharedFields, specKeywords);

const discovery = obj("How discovery is going", {
  attempts: opt(int32("How often it was tried")),
  lastAttemptTime: opt(time("When it was last tried")),
  lastFailureReason: opt(str("Why the last try failed")),
  specHash: opt(str("Digest of the spec that was tried")),
  image: opt(str("The image that answered; services run it until another one has")),
  imageDigest: opt(str("Digest that the tag of the image led to when it was asked")),
  refresh: opt(
    obj("How asking anew goes, after the tag was moved to another image", {
      imageDigest: opt(str("Digest that the tag leads to now")),
      attempts: opt(int32("How often it was tried")),
      lastAttemptTime: opt(time("When it was last tried")),
      lastFailureReason: opt(str("Why the last try failed")),
    }),
  ),
});

const status = obj("What is known of the template", {
  observedGeneration: opt(observedGeneration()),
  conditions: opt(conditions()),
  resolvedRuntimeConfig: opt(resolvedReference("The runtime config in effect")),
  resolvedModel: opt(resolvedReference("The model this template runs")),
  resolvedCache: opt(resolvedReference("The template cache that holds its weights")),
  status: opt(
    state("State of the template", ["Pending", "Progressing", "NotAvailable", "Ready", "Degraded", "Failed"]),
  ),
  modelSources: opt(modelSources("Weights this template needs, as given or as discovered")),
  profile: opt(profile),
  hardwareSummary: opt(str("Its hardware in a few words, such as 2 x MI300X or CPU")),
  resolvedHardware: opt(hardware("Hardware a replica really asks for")),
  resolvedNodeAffinity: opt(as(k8s.NodeAffinity, "Nodes a replica can run on")),
  discoveryJob: opt(resolvedReference("The Job that looks into the image")),
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

export const AIMServiceTemplate = defineKind({
  ...group,
  scope: "Namespaced",
  kind: "AIMServiceTemplate",
  plural: "aimservicetemplates",
  shortNames: ["aimst", "aimtpl"],
  description: "One way to run a model on given hardware, for services of one namespace",
  columns: columns(modelColumn),
  spec: namespacedSpec,
  status,
});

export const AIMClusterServiceTemplate = defineKind({
  ...group,
  scope: "Cluster",
  kind: "AIMClusterServiceTemplate",
  plural: "aimclusterservicetemplates",
  shortNames: ["aimclst", "aimcltpl"],
  description:
    "One way to run a model on given hardware, for services of all namespaces. An AIMServiceTemplate of the same name wins in its namespace",
  columns: columns(),
  spec: clusterSpec,
  status,
});
