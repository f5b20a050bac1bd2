import { defineKind, type ObjectOf } from "@trivium/kube";
import { as, list, obj, oneOf, opt, str } from "@trivium/schema";
import { group } from "../group.ts";
import { Hardware } from "./model-hardware.ts";
import { ModelStatus } from "./model-status.ts";
import { maybe } from "./nullable.ts";

const Resources = obj("What the model needs to run on the CPU side", {
  cpu: maybe(str("Processors, as a quantity: `2`, `2000m`")),
  memory: maybe(str("Memory, as a quantity: `4Gi`")),
});

const ModelSpec = obj("Which weights, from where, for which hardware", {
  source: str(
    "Where the weights are: `https://` or `http://` file, `file://` path or absolute path that the operator can read, `pvc://claim/path` on an existing claim, `hf://org/repo` (`@revision` may follow) or just `org/repo`. For MLX, the path of a directory",
    // The three alternatives are not grouped: the last anchor belongs to the second and third only.
    { pattern: "^(https?|file|pvc|hf)://.*|^/[^\\s]+$|^[a-zA-Z0-9][\\w\\-\\.\\/]+$" },
  ),
  sha256: maybe(
    str("SHA-256 digest that the model file must have; a file with another one is not used", {
      pattern: "^[a-fA-F0-9]{64}$",
    }),
  ),
  refreshPolicy: opt(
    oneOf(
      "When a cached file is fetched again. `IfNotPresent`: only when it is missing, a changed source is merely reported. `OnChange`: whenever the source has changed",
      ["IfNotPresent", "OnChange"],
      { default: "IfNotPresent" },
    ),
  ),
  format: opt(
    oneOf(
      "Format of the file: `gguf` for llama.cpp, `mlx` for oMLX, the others for generic engines",
      ["gguf", "mlx", "safetensors", "pytorch", "custom"],
      { default: "gguf" },
    ),
  ),
  quantization: maybe(str("Quantization, as a label for people: `Q4_0`, `Q5_K_M`, `F16`")),
  files: maybe(
    list(
      "Files to take from the source, relative to the repository. The first is the one the engine is started with",
      str(""),
    ),
  ),
  mmproj: maybe(str("Multimodal projector to take from the source too, for engines that can use one")),
  resources: maybe(Resources),
  hardware: maybe(Hardware),
});

export const Model = defineKind({
  ...group,
  kind: "Model",
  plural: "models",
  shortNames: ["mdl"],
  scope: "Namespaced",
  description: "The weights of a language model: where they come from and what hardware they want",
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
