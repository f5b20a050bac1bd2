import { defineKind, type ObjectOf } from "@trivium/kube";
import { as, list, obj, oneOf, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { Hardware } from "./model-hardware.ts";
import { ModelStatus } from "./model-status.ts";
import { maybe } from "./nullable.ts";

const Resources = obj("CPU and memory requirements of the model", {
  cpu: maybe(str("CPU as a quantity, such as `2` or `2000m`")),
  memory: maybe(str("Memory as a quantity, such as `4Gi`")),
});

const ModelSpec = obj("Source, format and hardware requirements of the weights", {
  source: str(
    "Source of the weights: an `https://` or `http://` URL of a file, a `file://` or absolute path that the operator can read, `pvc://claim/path` for a path on an existing PersistentVolumeClaim, `s3://bucket/path` for an object, or with `files` for those below a path, `hf://org/repo[@revision]` or just `org/repo`. For MLX, the path of a directory",
    // The three alternatives are not grouped: the last anchor belongs to the second and third only.
    { pattern: "^(https?|file|pvc|hf|s3)://.*|^/[^\\s]+$|^[a-zA-Z0-9][\\w\\-\\.\\/]+$" },
  ),
  sha256: maybe(
    str("Expected SHA-256 digest of the model file; a file with a different digest is rejected", {
      pattern: "^[a-fA-F0-9]{64}$",
    }),
  ),
  sourceSecretRef: maybe(
    obj(
      "Secret in the namespace of the Model with the credentials of an `s3://` source: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and optionally `AWS_SESSION_TOKEN`, `AWS_REGION` and `AWS_ENDPOINT_URL`",
      { name: opt(str("Name of the Secret")) },
    ),
  ),
  refreshPolicy: opt(
    oneOf(
      "When to download a cached file again. `IfNotPresent`: only if it is missing; a changed source is reported. `OnChange`: whenever the source changes",
      ["IfNotPresent", "OnChange"],
      { default: "IfNotPresent" },
    ),
  ),
  format: opt(
    oneOf(
      "Format of the weights: `gguf` for llama.cpp, `mlx` for oMLX, the others for generic engines",
      ["gguf", "mlx", "safetensors", "pytorch", "custom"],
      { default: "gguf" },
    ),
  ),
  quantization: maybe(str("Quantization, for information only, such as `Q4_0`, `Q5_K_M` or `F16`")),
  files: maybe(
    list("Files to download, relative to the repository. The engine is started with the first one", str("")),
  ),
  mmproj: maybe(str("Multimodal projector file to download as well, for engines that support one")),
  resources: maybe(Resources),
  hardware: maybe(Hardware),
});

export const Model = defineKind({
  ...group,
  kind: "Model",
  plural: "models",
  shortNames: ["mdl"],
  scope: "Namespaced",
  description: "Weights of a language model: their source and hardware requirements",
  columns: [
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Size", type: "string", jsonPath: ".status.size" },
    { name: "Accelerator", type: "string", jsonPath: ".spec.hardware.accelerator" },
    { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Available")].reason' },
    { name: "Arch", type: "string", jsonPath: ".status.gguf.architecture", priority: 1 },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
  spec: ModelSpec,
  status: as(ModelStatus, "", { nullable: true }),
});
export type Model = ObjectOf<typeof Model>;
