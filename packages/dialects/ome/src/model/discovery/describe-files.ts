import type { ModelFacts, ModelHeader } from "@trivium/domain";
import { formatParameterCount, measureWeights, parseGgufFacts, parseModelFacts } from "@trivium/engines";
import type { JsonObject } from "@trivium/std";
import type { DiscoveredConfig } from "../weights/node-entry.ts";
import { summarizeConfiguration } from "./configuration-summary.ts";
import { describePipeline } from "./pipeline-found.ts";

/** What was read of a model's files: the headers, and the configuration beside them. */
export interface FilesRead {
  readonly models: readonly { readonly path: string; readonly header: ModelHeader }[];
  readonly config?: JsonObject | undefined;
}

/** What the files say that the model is, in the words of this API; nothing where they say nothing. */
export function describeFiles(read: FilesRead): DiscoveredConfig | undefined {
  const found = describeModel(read);
  const weightBytes = weightBytesOf(read);
  return found === undefined || weightBytes === undefined ? found : { ...found, weightBytes };
}

/** Bytes of all tensors. Of several models beside each other, which may be copies, the smallest counts: no server can load less. */
function weightBytesOf({ models }: FilesRead): number | undefined {
  const sizes = models.map(({ header }) => header.tensors?.bytes);
  const isKnown = sizes.length > 0 && sizes.every((bytes) => Number.isSafeInteger(bytes) && Number(bytes) > 0);
  return isKnown ? Math.min(...(sizes as number[])) : undefined;
}

function describeModel(read: FilesRead): DiscoveredConfig | undefined {
  const { models, config } = read;
  const header = models[0]?.header;
  const isPipeline = typeof config?._class_name === "string";
  // Repositories of GGUF files often keep the config.json of the model that was converted: it describes other files than are here.
  const isGguf = !isPipeline && models.every((model) => model.header.format === "gguf");
  if (isGguf && header?.format === "gguf") {
    const facts = parseGgufFacts(header);
    return { ...configOf(facts, { isGguf: true }), ...measuredOf(facts, read) };
  }
  const index = isPipeline ? { modelIndex: config } : { config };
  if (config === undefined) return undefined;
  const tensors = header?.format === "safetensors" ? { header } : {};
  const facts = parseModelFacts({ ...(index as { config: JsonObject }), ...tensors });
  const found = { ...configOf(facts, { isGguf: false }), ...measuredOf(facts, read) };
  const diffusionPipeline = describePipeline(config);
  return { ...found, ...(diffusionPipeline === undefined ? {} : { diffusionPipeline }) };
}

/** Of several models beside each other it is not known which is served. */
function measuredOf(facts: ModelFacts, { models: [model, ...others] }: FilesRead): Pick<DiscoveredConfig, "measured"> {
  if (model === undefined || others.length > 0) return {};
  const { tensorBytes: _, ...measured } = measureWeights(facts, model.header);
  return measured.shape === undefined ? {} : { measured };
}

/** The API of servers that a capability is asked through. */
const apis: Readonly<Record<string, readonly string[]>> = {
  TEXT_TO_TEXT: ["OPENAI_V1_CHAT_COMPLETIONS", "OPENAI_V1_RESPONSES"],
  IMAGE_TEXT_TO_TEXT: ["OPENAI_V1_CHAT_COMPLETIONS", "OPENAI_V1_RESPONSES"],
  EMBEDDING: ["OPENAI_V1_EMBEDDINGS"],
  TEXT_TO_IMAGE: ["OPENAI_V1_IMAGES_GENERATIONS"],
  IMAGE_TEXT_TO_IMAGE: ["OPENAI_V1_IMAGES_EDITS"],
  AUDIO_TO_TEXT: ["OPENAI_V1_AUDIO_TRANSCRIPTIONS"],
  TEXT_TO_AUDIO: ["OPENAI_V1_AUDIO_SPEECH"],
};

/**
 * A GGUF file needs no library, but runtimes must name one; llama.cpp is the one that defines the format. Its format version is left out:
 * engines read all of them, and a version on one side only would match nothing.
 */
function configOf(facts: ModelFacts, { isGguf }: { isGguf: boolean }): DiscoveredConfig {
  const { type, architecture, framework, format, parameters, quantization, capabilities, maxTokens } = facts;
  const modelConfiguration = summarizeConfiguration(facts);
  const apiCapabilities = [...new Set(capabilities.flatMap((one) => apis[one] ?? []))];
  return {
    ...(type === undefined ? {} : { modelType: type }),
    ...(architecture === undefined ? {} : { modelArchitecture: architecture }),
    ...(isGguf
      ? { modelFramework: { name: "llama.cpp" } }
      : framework === undefined
        ? {}
        : { modelFramework: framework }),
    ...(isGguf ? { modelFormat: { name: "gguf" } } : format === undefined ? {} : { modelFormat: format }),
    ...(parameters === undefined ? {} : { modelParameterSize: formatParameterCount(parameters.count) }),
    ...(quantization?.word === undefined ? {} : { quantization: quantization.word }),
    ...(capabilities.length === 0 ? {} : { modelCapabilities: [...capabilities] }),
    ...(apiCapabilities.length === 0 ? {} : { apiCapabilities }),
    ...(maxTokens === undefined || maxTokens >= 2 ** 31 ? {} : { maxTokens }),
    ...(modelConfiguration === undefined ? {} : { modelConfiguration }),
  };
}
