import type { BaseModel } from "../kinds/base-model.ts";
import type { ServingRuntime } from "../kinds/serving-runtime.ts";

/** What of a model decides who can serve it. */
export type ModelTraits = Pick<
  BaseModel["spec"],
  "modelFormat" | "modelFramework" | "modelArchitecture" | "quantization" | "modelParameterSize" | "diffusionPipeline"
>;

export type RuntimeSpec = ServingRuntime["spec"];
export type SupportedFormat = RuntimeSpec["supportedModelFormats"][number];

/** What a model is, for messages: `safetensors 1.0.0, architecture LlamaForCausalLM, framework transformers 4.51.0`. */
export function describeTraits(model: ModelTraits): string {
  const { modelFormat, modelFramework, modelArchitecture, quantization } = model;
  const words = [
    named(modelFormat),
    modelArchitecture && `architecture ${modelArchitecture}`,
    quantization && `quantization ${quantization}`,
    modelFramework?.name && `framework ${named(modelFramework)}`,
  ];
  return words.filter(Boolean).join(", ");
}

const named = (one: { readonly name: string; readonly version?: string | undefined } | undefined): string =>
  [one?.name, one?.version].filter(Boolean).join(" ");
