import type { BaseModel } from "../kinds/base-model.ts";
import type { ServingRuntime } from "../kinds/serving-runtime.ts";

/** What of a model decides who can serve it. */
export type ModelTraits = Pick<
  BaseModel["spec"],
  "modelFormat" | "modelFramework" | "modelArchitecture" | "quantization" | "modelParameterSize" | "diffusionPipeline"
>;

export type RuntimeSpec = ServingRuntime["spec"];
export type SupportedFormat = RuntimeSpec["supportedModelFormats"][number];

/** `mt:<format>[:version][:architecture][:quantization][:framework[:version]]`, for messages. */
export function labelOf(model: ModelTraits): string {
  const { modelFormat, modelFramework, modelArchitecture, quantization } = model;
  const words = [
    modelFormat?.name,
    modelFormat?.version,
    modelArchitecture,
    quantization,
    modelFramework?.name,
    modelFramework?.version,
  ];
  return `mt:${words.filter((word) => word !== undefined && word !== "").join(":")}`;
}
