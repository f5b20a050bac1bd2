import type { ModelFacts, ModelShape, ParameterCount, SafetensorsHeader, WeightQuantization } from "@trivium/domain";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { parseCapabilities } from "./capabilities.ts";
import { contextOf, parseConfigShape } from "./config-shape.ts";
import { present, textIn, textsIn } from "./fields.ts";
import { parseKnownSize } from "./known-sizes.ts";
import { parseParameterFormula } from "./parameter-formula.ts";
import { parseQuantization } from "./quantization.ts";
import { countStoredParameters } from "./stored-parameters.ts";
import { hasVisionPart, textConfigOf } from "./text-config.ts";

/** The files of a repository that describe its model; whichever are there. */
export interface ModelDescription {
  /** `config.json`. */
  readonly config?: Json;
  /** `model_index.json`, which only pipelines have and which then decides. */
  readonly modelIndex?: Json;
  readonly header?: SafetensorsHeader;
  /** There is a `config_sentence_transformers.json`. */
  readonly isSentenceEncoder?: boolean;
}

const nothing: ModelFacts = { capabilities: [], hasVision: false, warnings: [] };

/** What a repository says about its model. Total: whatever the files contain, there is an answer, if need be an empty one. */
export function parseModelFacts(description: ModelDescription): ModelFacts {
  if (isObject(description.modelIndex)) return pipelineFacts(description.modelIndex, description.header);
  if (!isObject(description.config)) return { ...nothing, warnings: ["no configuration file found"] };
  return transformerFacts(description.config, description);
}

function transformerFacts(config: JsonObject, { header, isSentenceEncoder = false }: ModelDescription): ModelFacts {
  const text = textConfigOf(config);
  const modelType = textIn(config, "model_type") ?? "";
  const architecture = textsIn(config, "architectures")[0]?.slice(0, 256).toWellFormed();
  const hasVision = hasVisionPart(config, modelType);
  const quantization = parseQuantization(config, text);
  const shape = parseConfigShape(text);
  return {
    framework: { name: "transformers", ...present({ version: textIn(config, "transformers_version") }) },
    format: { name: "safetensors", version: "1.0.0" },
    capabilities: parseCapabilities({
      architecture: architecture ?? "",
      modelType,
      isDiffusion: false,
      hasVision,
      isSentenceEncoder,
    }),
    hasVision,
    warnings: header?.warnings ?? [],
    ...present({
      type: modelType === "" ? undefined : modelType,
      architecture,
      maxTokens: contextOf(text) ?? contextOf(config),
      elementType: textIn(config, "torch_dtype", "dtype") ?? textIn(text, "torch_dtype", "dtype"),
      quantization,
      shape,
      parameters: parametersOf({ modelType, text, shape, header, quantization }),
    }),
  };
}

interface CountClues {
  readonly modelType: string;
  readonly text: JsonObject;
  readonly shape: ModelShape | undefined;
  readonly header: SafetensorsHeader | undefined;
  readonly quantization: WeightQuantization | undefined;
}

/** From the tensors where they were read, else from what is known of the family, else from the measures. */
function parametersOf({ modelType, text, shape, header, quantization }: CountClues): ParameterCount | undefined {
  if (header !== undefined && header.tensors.elements > 0)
    return { count: countStoredParameters(header, quantization), from: "tensors" };
  if (shape === undefined) return undefined;
  const known = parseKnownSize(modelType, shape);
  if (known !== undefined) return { count: known, from: "table" };
  const computed = parseParameterFormula(text, shape);
  return computed === undefined ? undefined : { count: computed, from: "formula" };
}

function pipelineFacts(index: JsonObject, header: SafetensorsHeader | undefined): ModelFacts {
  const architecture = textIn(index, "_class_name");
  return {
    framework: { name: "diffusers", ...present({ version: textIn(index, "_diffusers_version") }) },
    format: { name: "diffusers" },
    capabilities: parseCapabilities({
      architecture: architecture ?? "",
      modelType: "",
      isDiffusion: true,
      hasVision: false,
      isSentenceEncoder: false,
    }),
    hasVision: false,
    warnings: header?.warnings ?? [],
    ...present({
      architecture,
      parameters:
        header === undefined
          ? undefined
          : { count: countStoredParameters(header, undefined), from: "tensors" as const },
    }),
  };
}
