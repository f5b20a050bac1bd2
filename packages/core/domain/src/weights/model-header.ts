/** What the headers of a model's files say, before anyone interprets it. Plain data of bounded size, fit for a status or a printout. */
export type ModelHeader = GgufHeader | SafetensorsHeader;

export interface GgufHeader {
  readonly format: "gguf";
  readonly version: number;
  readonly byteOrder: "little" | "big";
  /** Files that the model is split into; 1 when it is not. */
  readonly files: number;
  readonly metadata: Readonly<Record<string, MetadataValue>>;
  /** Absent when reading ended before the tensors. */
  readonly tensors?: TensorTotals;
  /** As the first bytes of the file claim, or as its splits do in sum. */
  readonly tensorCount: number;
  /** The key before which reading ended, since the facts were there and the rest is long. Keys after it are unknown, not absent. */
  readonly endsBefore?: string;
  readonly warnings: readonly string[];
}

/** Integers beyond 2^53 are the nearest number. */
export type MetadataValue = string | number | boolean | readonly MetadataScalar[] | SkippedValue;
export type MetadataScalar = string | number | boolean;

/** A value that was passed over: nobody asked for it, or it is too long to keep. */
export interface SkippedValue {
  readonly skipped: "array" | "string";
  /** Elements of an array, bytes of a string. */
  readonly count: number;
}

export interface SafetensorsHeader {
  readonly format: "safetensors";
  readonly files: number;
  readonly tensors: TensorTotals;
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** The tensors of a model in sums, since a list of them has no bound worth the name. */
export interface TensorTotals {
  readonly count: number;
  /** Numbers stored, which is fewer than the model's parameters where several share one. */
  readonly elements: number;
  readonly bytes: number;
  readonly byType: Readonly<Record<string, TensorShare>>;
  /** By the last word of a tensor's name and its type, such as `qweight I32`: tells how quantized weights are packed. */
  readonly byRole: Readonly<Record<string, TensorShare>>;
  /** Bytes of each block, by its number. Empty when names do not tell. */
  readonly blockBytes: readonly number[];
  /** Bytes outside of the blocks. */
  readonly embeddingBytes: number;
  readonly outputBytes: number;
  readonly restBytes: number;
}

export interface TensorShare {
  readonly tensors: number;
  readonly elements: number;
  readonly bytes: number;
}
