import { defineTwin, type ObjectOf, type PrinterColumn } from "@trivium/kube";
import { free, int32, list, map, obj, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { diffusionPipeline } from "./diffusion-pipeline.ts";
import { modelExtension, modelStatus } from "./model-fields.ts";
import { modelFormat, modelFramework } from "./model-format.ts";
import { storage } from "./storage.ts";

const spec = obj(
  "Properties of the model and location of its files. Properties that are not set are read from the files where possible",
  {
    modelFormat: opt(modelFormat("Format of the weights")),
    modelType: opt(str("Architecture family, such as llama")),
    modelFramework: opt(modelFramework("Framework that the model is built for")),
    modelArchitecture: opt(str("Architecture class, such as LlamaForCausalLM")),
    quantization: opt(str("Quantization of the weights, such as fp8, fbgemm_fp8 or int4")),
    modelParameterSize: opt(str("Number of parameters, such as 7B")),
    modelCapabilities: opt(
      list("Capabilities of the model", str("Capability, such as TEXT_GENERATION or TEXT_EMBEDDINGS")),
    ),
    apiCapabilities: opt(list("APIs that the model can serve", str("API, such as OPENAI_V1_CHAT_COMPLETIONS"))),
    modelConfiguration: opt(free("Configuration of the model, in any form")),
    storage: storage("Location of the files, and the nodes that download them"),
    ...modelExtension,
    servingMode: opt(list("Supported serving modes", str("On-demand or Dedicated"))),
    maxTokens: opt(int32("Maximum number of tokens of the context")),
    diffusionPipeline: opt(diffusionPipeline),
    additionalMetadata: opt(map("Additional metadata", str("Value"))),
  },
);

const columns: PrinterColumn[] = [
  { name: "Disabled", type: "boolean", jsonPath: ".spec.disabled" },
  { name: "Version", type: "string", jsonPath: ".spec.version" },
  { name: "Vendor", type: "string", jsonPath: ".spec.vendor" },
  { name: "Framework", type: "string", jsonPath: ".spec.modelFramework.name" },
  { name: "FrameworkVersion", type: "string", jsonPath: ".spec.modelFramework.version" },
  { name: "ModelFormat", type: "string", jsonPath: ".spec.modelFormat.name" },
  { name: "Architecture", type: "string", jsonPath: ".spec.modelArchitecture" },
  { name: "Capabilities", type: "string", jsonPath: ".spec.modelCapabilities" },
  { name: "Size", type: "string", jsonPath: ".spec.modelParameterSize" },
  { name: "CompartmentID", type: "string", jsonPath: ".spec.compartmentID", priority: 1 },
  { name: "Ready", type: "string", jsonPath: ".status.state" },
  { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
];

export const [BaseModel, ClusterBaseModel] = defineTwin({
  ...group,
  namespaced: {
    kind: "BaseModel",
    plural: "basemodels",
    description: "Model for services of one namespace, stored on the matching nodes",
  },
  cluster: {
    kind: "ClusterBaseModel",
    plural: "clusterbasemodels",
    description: "Model for services of all namespaces, stored on the matching nodes",
  },
  columns,
  spec,
  status: modelStatus,
});
export type BaseModel = ObjectOf<typeof BaseModel>;
export type ClusterBaseModel = ObjectOf<typeof ClusterBaseModel>;
