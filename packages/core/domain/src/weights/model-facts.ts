import type { ModelShape } from "./model-shape.ts";

/** What a model is, as its own files say. Whatever they do not say is absent. */
export interface ModelFacts {
  /** Architecture family, such as `llama`. */
  readonly type?: string;
  /** Concrete class, such as `LlamaForCausalLM`. */
  readonly architecture?: string;
  readonly framework?: NamedVersion;
  readonly format?: NamedVersion;
  readonly parameters?: ParameterCount;
  readonly quantization?: WeightQuantization;
  readonly capabilities: readonly ModelCapability[];
  readonly maxTokens?: number;
  readonly shape?: ModelShape;
  readonly hasVision: boolean;
  /** Element type of weights that are not quantized, such as `bfloat16`. */
  readonly elementType?: string;
  /** What is odd about the files, for a person. */
  readonly warnings: readonly string[];
}

export interface NamedVersion {
  readonly name: string;
  readonly version?: string;
}

export interface ParameterCount {
  readonly count: number;
  /** `tensors` is exact; `table` knows the family; `formula` computes it from the measures. */
  readonly from: "tensors" | "table" | "formula";
}

export interface WeightQuantization {
  /** As the files name it: `fp8`, `awq`, `gptq`, `mxfp4`, `compressed-tensors`, `Q4_K_M` … */
  readonly method: string;
  /** Of one weight, without scales. */
  readonly bits?: number;
  /** The one word that runtimes are matched by, where there is one. */
  readonly word?: "int4" | "fp8";
}

export type ModelCapability =
  | "TEXT_TO_TEXT"
  | "EMBEDDING"
  | "IMAGE_TEXT_TO_TEXT"
  | "AUDIO_TO_TEXT"
  | "AUDIO_TO_AUDIO"
  | "TEXT_TO_AUDIO"
  | "IMAGE_TEXT_TO_AUDIO"
  | "VIDEO_TEXT_TO_AUDIO"
  | "TEXT_TO_IMAGE"
  | "IMAGE_TEXT_TO_IMAGE"
  | "TEXT_TO_VIDEO"
  | "IMAGE_TEXT_TO_VIDEO";

/** The few lines of a GGUF header that a status shows. */
export interface GgufSummary {
  readonly architecture?: string;
  readonly modelName?: string;
  readonly quantization?: string;
  readonly license?: string;
  readonly contextLength?: number;
  readonly embeddingSize?: number;
  readonly layerCount?: number;
  readonly headCount?: number;
  readonly tensorCount: number;
  readonly fileVersion: number;
}

/** An adapter that is laid over a model. */
export interface AdapterFacts {
  /** `lora`, `ia3` … in lower case. */
  readonly kind: string;
  readonly baseModel?: string;
  readonly rank?: number;
  readonly targets: readonly string[];
  readonly task?: string;
}

/** What the tokenizer files say that matters to whoever serves. */
export interface TokenizerFacts {
  readonly kind?: string;
  readonly hasChatTemplate: boolean;
  readonly maxTokens?: number;
}

/** The parts of an image or video pipeline. */
export interface DiffusionPipeline {
  readonly className: string;
  readonly components: Readonly<Record<string, { readonly library: string; readonly type: string }>>;
}
