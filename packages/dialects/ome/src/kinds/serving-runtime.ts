import { defineTwin, k8s, type ObjectOf, type PrinterColumn } from "@trivium/kube";
import { as, bool, int32, list, listMap, map, obj, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { decoder, engine, router } from "./component.ts";
import { diffusionPipeline } from "./diffusion-pipeline.ts";
import { modelFormat, modelFramework } from "./model-format.ts";

const acceleratorConfig = obj("Overrides for one AcceleratorClass", {
  minMemoryPerBillionParams: opt(int32("Minimum memory for each billion parameters", { minimum: 0 })),
  tensorParallelismOverride: opt(
    obj("Overrides of the parallelism", {
      tensorParallelSize: opt(
        int32("Tensor parallel size: number of accelerators that share each layer", { minimum: 0 }),
      ),
      pipelineParallelSize: opt(
        int32("Pipeline parallel size: number of stages that the layers are divided into", { minimum: 0 }),
      ),
      dataParallelSize: opt(int32("Data parallel size: number of copies of the model in each replica", { minimum: 0 })),
    }),
  ),
  runtimeArgsOverride: opt(list("Arguments that replace those of the container", str("Argument"))),
  environmentOverride: opt(
    map("Environment variables that override those of the container", str("Value of the variable")),
  ),
});

const supportedModelFormat = obj("Model format that this runtime supports", {
  name: opt(str("Deprecated: use modelFormat.name")),
  modelFormat: modelFormat("Format of the weights"),
  modelType: opt(str("Deprecated: not used")),
  version: opt(str("Deprecated: use modelFormat.version")),
  modelFramework: modelFramework("Framework that the model is built for"),
  modelArchitecture: opt(str("Architecture class of the model; must match exactly")),
  quantization: opt(str("Quantization of the weights; must match exactly")),
  autoSelect: opt(bool("Whether the runtime can be selected for services that do not name one")),
  priority: opt(int32("Priority among entries with autoSelect; higher is preferred", { minimum: 1 })),
  diffusionPipeline: opt(diffusionPipeline),
  acceleratorConfig: opt(map("Overrides by name of the AcceleratorClass", acceleratorConfig)),
});

/** Pod fields from before engineConfig, decoderConfig and routerConfig. */
const legacyPodFields = {
  containers: opt(listMap("Containers of the pod", ["name"], k8s.Container)),
  volumes: opt(listMap("Volumes of the pod", ["name"], k8s.Volume)),
  nodeSelector: opt(map("Labels that a node must have", str("Value of the label"))),
  affinity: opt(as(k8s.Affinity, "Affinity and anti-affinity rules of the pod")),
  tolerations: opt(list("Tolerations of the pod", k8s.Toleration)),
  labels: opt(map("Labels to add to the pod", str("Value of the label"))),
  annotations: opt(map("Annotations to add to the pod", str("Value of the annotation"))),
  imagePullSecrets: opt(list("Secrets for pulling images", k8s.LocalObjectReference)),
  schedulerName: opt(str("Scheduler of the pod")),
  hostIPC: opt(bool("Uses the IPC namespace of the node")),
  dnsPolicy: opt(str("DNS policy of the pod")),
  hostNetwork: opt(bool("Uses the network namespace of the node")),
};

const acceleratorRequirements = obj("Accelerator requirements of this runtime", {
  acceleratorClasses: opt(list("Supported AcceleratorClasses", str("Name of an AcceleratorClass"))),
  minMemory: opt(int32("Minimum memory of an accelerator in GB")),
  minComputePerformanceTFLOPS: opt(int32("Minimum compute performance in TFLOPS")),
  minArchitectureVersion: opt(str("Minimum architecture version")),
  requiredFeatures: opt(list("Required features", str("Name of a feature"))),
  preferredPrecisions: opt(list("Preferred numeric precisions", str("Numeric precision, such as fp8"))),
});

const spec = obj("Supported models, and the pods that serve them", {
  supportedModelFormats: list("Model formats that this runtime supports", supportedModelFormat),
  modelSizeRange: opt(
    obj("Supported model sizes, in parameters", {
      min: opt(str("Minimum size, such as 1B")),
      max: opt(str("Maximum size, such as 70B")),
    }),
  ),
  disabled: opt(bool("Prevents services from using this runtime")),
  routerConfig: opt(router),
  engineConfig: opt(engine),
  decoderConfig: opt(decoder),
  protocolVersions: opt(list("Supported protocols", str("openAI, cohere, openInference-v1 or openInference-v2"))),
  ...legacyPodFields,
  workers: opt(
    obj("Deprecated: use engineConfig.worker. Worker pods", {
      size: opt(int32("Number of worker pods")),
      ...legacyPodFields,
    }),
  ),
  acceleratorRequirements: opt(acceleratorRequirements),
});

const status = obj("Always empty", {});

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
    description: "Describes how to serve models of certain formats, for services of one namespace",
  },
  cluster: {
    kind: "ClusterServingRuntime",
    plural: "clusterservingruntimes",
    description: "Describes how to serve models of certain formats, for services of all namespaces",
  },
  columns,
  spec,
  status,
  hasStatusSubresource: false,
});
export type ServingRuntime = ObjectOf<typeof ServingRuntime>;
export type ClusterServingRuntime = ObjectOf<typeof ClusterServingRuntime>;
