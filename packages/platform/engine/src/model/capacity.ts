import type { GgufHeader } from "./gguf-header.ts";

export interface Capacity {
  readonly slots: number;
  readonly contextPerSlot: number;
  readonly trainedContext: number;
}

export interface WantedCapacity {
  readonly slots: number | undefined;
  readonly contextSize: number;
  /** Bytes that may be had for the key-value cache when nobody says how long the context is to be. */
  readonly freeMemory: number;
}

const minContext = 4096;
/** The sizing of services counts on it: `servingStyles.local` in core/engines. */
const spaceOfFreeSlots = 2 ** 30;

/**
 * How many slots of what length. `--ctx-size` is divided among `--parallel` slots as llama-server does it; without it each slot
 * has the length the model was trained with, or what memory allows. Without `--parallel` there are up to four slots, as many as
 * need less than a gigabyte: the binding keeps a cache for each, so four slots of a long context would cost four times.
 */
export function planCapacity(header: GgufHeader, wanted: WantedCapacity): Capacity {
  const perToken = cacheBytesPerToken(header);
  const trainedContext = numberAt(header, "context_length") ?? 512;
  if (wanted.contextSize > 0 && wanted.slots !== undefined)
    return { slots: wanted.slots, contextPerSlot: Math.floor(wanted.contextSize / wanted.slots) || 1, trainedContext };

  const asked = wanted.contextSize > 0 ? wanted.contextSize : trainedContext;
  const fits = Math.floor(wanted.freeMemory / 2 / perToken / (wanted.slots ?? 1));
  const contextPerSlot = wanted.contextSize > 0 ? asked : Math.min(asked, Math.max(minContext, fits));
  const slots = wanted.slots ?? Math.min(4, Math.max(1, Math.floor(spaceOfFreeSlots / (perToken * contextPerSlot))));
  return { slots, contextPerSlot, trainedContext };
}

/** The longest input that is embedded without `--ubatch-size`: space for it is taken when the model is loaded. */
const longestEmbedding = 8192;

export interface WantedBatch {
  readonly batch: number;
  readonly ubatch: number | undefined;
  readonly embedding: boolean;
}

/** Tokens that are computed at once. An input is embedded as a whole, so there it decides how long one may be. */
export function planBatch({ batch, ubatch, embedding }: WantedBatch, { contextPerSlot }: Capacity): number {
  const each = Math.min(batch, ubatch ?? defaultBatch);
  if (!embedding) return each;
  return ubatch ?? Math.max(each, Math.min(contextPerSlot, longestEmbedding));
}

const defaultBatch = 512;

/** Bytes of keys and values of one token in half precision; an estimate for deciding, not for accounting. */
function cacheBytesPerToken(header: GgufHeader): number {
  const layers = numberAt(header, "block_count") ?? 32;
  const heads = numberAt(header, "attention.head_count") ?? 32;
  const keyHeads = numberAt(header, "attention.head_count_kv") ?? heads;
  const headLength = numberAt(header, "attention.key_length") ?? (numberAt(header, "embedding_length") ?? 4096) / heads;
  return Math.max(1, layers * keyHeads * headLength * 2 * 2);
}

function numberAt(header: GgufHeader, key: string): number | undefined {
  const value = header.values.get(`${header.architecture}.${key}`);
  return typeof value === "number" && value > 0 ? value : undefined;
}
