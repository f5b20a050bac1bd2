import { defineTwin, type ObjectOf, type PrinterColumn } from "@trivium/kube";
import { free, int32, list, map, obj, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { diffusionPipeline } from "./diffusion-pipeline.ts";
import { modelExtension, modelStatus } from "./model-fields.ts";
import { modelFormat, modelFramework } from "./model-format.ts";
import { storage } from "./storage.ts";

const spec = obj("What the model is and where its files are. Fields left out are read from the files where they tell", {
  modelFormat: opt(modelFormat("How the weights are written down")),
  modelType: opt(str("Family of the architecture, such as llama")),
  modelFramework: opt(modelFramework("Library the model is made for")),
  modelArchitecture: opt(str("Class of the model, such as LlamaForCausalLM")),
  quantization: opt(str("How the weights are quantized, such as fp8, fbgemm_fp8 or int4")),
  modelParameterSize: opt(str("Number of parameters, such as 7B")),
  modelCapabilities: opt(list("What it can do", str("A capability, such as TEXT_GENERATION or TEXT_EMBEDDINGS"))),
  apiCapabilities: opt(list("Which APIs it can answer", str("An API, such as OPENAI_V1_CHAT_COMPLETIONS"))),
  modelConfiguration: opt(free("Its configuration, in any form")),
  storage: storage("Where the files are and which nodes get them"),
  ...modelExtension,
  servingMode: opt(list("How it may be served", str("On-demand or Dedicated"))),
  maxTokens: opt(int32("Most tokens it can take in")),
  diffusionPipeline: opt(diffusionPipeline),
  additionalMetadata: opt(map("Anything else worth noting", str("Value of the note"))),
});

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
    description: "A model for services of one namespace, kept on the nodes that match",
  },
  cluster: {
    kind: "ClusterBaseModel",
    plural: "clusterbasemodels",
    description: "A model for services of all namespaces, kept on the nodes that match",
  },
  columns,
  spec,
  status: modelStatus,
});
export type BaseModel = ObjectOf<typeof BaseModel>;
export type ClusterBaseModel = ObjectOf<typeof ClusterBaseModel>;
