import { defineTwin, k8s, type ObjectOf, type PrinterColumn } from "@trivium/kube";
import { as, bool, int32, list, listMap, map, obj, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { decoder, engine, router } from "./component.ts";
import { diffusionPipeline } from "./diffusion-pipeline.ts";
import { modelFormat, modelFramework } from "./model-format.ts";

const acceleratorConfig = obj("What changes on one class of accelerators", {
  minMemoryPerBillionParams: opt(int32("Memory needed for a billion parameters", { minimum: 0 })),
  tensorParallelismOverride: opt(
    obj("How the model is spread", {
      tensorParallelSize: opt(int32("Accelerators that share each layer", { minimum: 0 })),
      pipelineParallelSize: opt(int32("Groups of layers", { minimum: 0 })),
      dataParallelSize: opt(int32("Copies in one replica", { minimum: 0 })),
    }),
  ),
  runtimeArgsOverride: opt(list("Arguments to use instead", str("An argument"))),
  environmentOverride: opt(map("Variables to use instead", str("Value of the variable"))),
});

const supportedModelFormat = obj("A kind of model that this runtime can serve", {
  name: opt(str("Older place of modelFormat.name")),
  modelFormat: modelFormat("How the weights are written down"),
  modelType: opt(str("No longer used")),
  version: opt(str("Older place of modelFormat.version")),
  modelFramework: modelFramework("Library the model is made for"),
  modelArchitecture: opt(str("Class of the model; must be equal")),
  quantization: opt(str("How the weights are quantized; must be equal")),
  autoSelect: opt(bool("May be chosen for services that name no runtime")),
  priority: opt(int32("Higher is preferred, among entries that may be chosen", { minimum: 1 })),
  diffusionPipeline: opt(diffusionPipeline),
  acceleratorConfig: opt(map("Changes for classes of accelerators, by name of the class", acceleratorConfig)),
});

/** Pod fields from before engineConfig, decoderConfig and routerConfig. */
const legacyPodFields = {
  containers: opt(listMap("Containers of the pod", ["name"], k8s.Container)),
  volumes: opt(listMap("Volumes of the pod", ["name"], k8s.Volume)),
  nodeSelector: opt(map("Labels that a node must have", str("Value of the label"))),
  affinity: opt(as(k8s.Affinity, "Where pods like to be and where not")),
  tolerations: opt(list("Taints that the pod puts up with", k8s.Toleration)),
  labels: opt(map("Labels for the pod", str("Value of the label"))),
  annotations: opt(map("Annotations for the pod", str("Value of the annotation"))),
  imagePullSecrets: opt(list("Secrets for pulling images", k8s.LocalObjectReference)),
  schedulerName: opt(str("Scheduler that places the pod")),
  hostIPC: opt(bool("Share the node's inter-process communication")),
  dnsPolicy: opt(str("How names are resolved in the pod")),
  hostNetwork: opt(bool("Share the node's network")),
};

const acceleratorRequirements = obj("Accelerators that this runtime needs", {
  acceleratorClasses: opt(list("Classes that will do", str("Name of a class"))),
  minMemory: opt(int32("Least memory of an accelerator, in GB")),
  minComputePerformanceTFLOPS: opt(int32("Least speed, in TFLOPS")),
  minArchitectureVersion: opt(str("Oldest architecture")),
  requiredFeatures: opt(list("Features it must have", str("A feature"))),
  preferredPrecisions: opt(list("Precisions it should be good at", str("A precision"))),
});

const spec = obj("What this runtime can serve, and the pods it does it with", {
  supportedModelFormats: list("Kinds of models it can serve", supportedModelFormat),
  modelSizeRange: opt(
    obj("Sizes of models it can serve, in parameters", {
      min: opt(str("Smallest, such as 1B")),
      max: opt(str("Largest, such as 70B")),
    }),
  ),
  disabled: opt(bool("Keep services from using it")),
  routerConfig: opt(router),
  engineConfig: opt(engine),
  decoderConfig: opt(decoder),
  protocolVersions: opt(list("Protocols it answers in", str("openAI, cohere, openInference-v1 or openInference-v2"))),
  ...legacyPodFields,
  workers: opt(
    obj("Worker pods, from before engineConfig", { size: opt(int32("Number of worker pods")), ...legacyPodFields }),
  ),
  acceleratorRequirements: opt(acceleratorRequirements),
});

const status = obj("Nothing is recorded here", {});

const columns: PrinterColumn[] = [
  { name: "Disabled", type: "boolean", jsonPath: ".spec.disabled" },
  { name: "ModelFormat", type: "string", jsonPath: ".spec.supportedModelFormats[*].modelFormat.name" },
  { name: "ModelFramework", type: "string", jsonPath: ".spec.supportedModelFormats[*].modelFramework.name" },
  {
    name: "ModelFrameworkVersion",
    type: "string",
    jsonPath: ".spec.supportedModelFormats[*].modelFramework.version",
    priority: 1,
  },
  { name: "ModelArchitecture", type: "string", jsonPath: ".spec.supportedModelFormats[*].modelArchitecture" },
  { name: "ModelSizeMin", type: "string", jsonPath: ".spec.modelSizeRange.min" },
  { name: "ModelSizeMax", type: "string", jsonPath: ".spec.modelSizeRange.max" },
  { name: "Images", type: "string", jsonPath: ".spec.engineConfig.runner.image", priority: 1 },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

export const [ServingRuntime, ClusterServingRuntime] = defineTwin({
  ...group,
  namespaced: {
    kind: "ServingRuntime",
    plural: "servingruntimes",
    description: "A way to serve certain models, for services of one namespace",
  },
  cluster: {
    kind: "ClusterServingRuntime",
    plural: "clusterservingruntimes",
    description: "A way to serve certain models, for services of all namespaces",
  },
  columns,
  spec,
  status,
  hasStatusSubresource: false,
});
export type ServingRuntime = ObjectOf<typeof ServingRuntime>;
export type ClusterServingRuntime = ObjectOf<typeof ClusterServingRuntime>;
