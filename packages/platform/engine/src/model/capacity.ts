import type { MetadataValue } from "@trivium/domain";
import type { ModelFileHeader } from "./model-header.ts";

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
export function planCapacity(header: ModelFileHeader, wanted: WantedCapacity): Capacity {
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

/**
 * Why a machine with this much memory cannot hold the cache; undefined where it may. Native code would take page after page until
 * the system ends some process, not always this one. What is only an estimate (windows, states
 * instead of caches, layers that differ) is let through.
 */
export function findOversize(
  header: ModelFileHeader,
  { slots, contextPerSlot }: Capacity,
  { memory, cacheTypes }: { readonly memory: number; readonly cacheTypes: readonly unknown[] },
): string | undefined {
  const hasOther =
    numberAt(header, "attention.sliding_window") !== undefined ||
    numberAt(header, "ssm.state_size") !== undefined ||
    typeof valueAt(header, "attention.head_count_kv") === "object";
  const parts = cacheTypes.map((type) => bytesOfType[String(type)] ?? halfBytes);
  const shrunk = parts.reduce((sum, each) => sum + each, 0) / (halfBytes * parts.length);
  const bytes = cacheBytesPerToken(header) * slots * contextPerSlot * shrunk;
  if (hasOther || bytes <= memory) return undefined;
  const tokens = `${slots} ${slots === 1 ? "slot" : "slots"} of ${contextPerSlot} tokens`;
  return (
    `the cache of ${tokens} needs ${gibibytes(bytes)}, and this machine has ${gibibytes(memory)} of memory; ` +
    "lower --ctx-size or --parallel"
  );
}

const halfBytes = 2;
/** Bytes of a number of the cache, where it is not half precision. */
const bytesOfType: Readonly<Record<string, number>> = {
  f32: 4,
  q8_0: 34 / 32,
  q5_1: 24 / 32,
  q5_0: 22 / 32,
  q4_1: 20 / 32,
  q4_0: 18 / 32,
  iq4_nl: 18 / 32,
};

const gibibytes = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)}Gi`;

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
function cacheBytesPerToken(header: ModelFileHeader): number {
  const layers = numberAt(header, "block_count") ?? 32;
  const heads = numberAt(header, "attention.head_count") ?? 32;
  const keyHeads = numberAt(header, "attention.head_count_kv") ?? heads;
  const headLength = numberAt(header, "attention.key_length") ?? (numberAt(header, "embedding_length") ?? 4096) / heads;
  return Math.max(1, layers * keyHeads * headLength * 2 * 2);
}

function numberAt(header: ModelFileHeader, key: string): number | undefined {
  const value = valueAt(header, key);
  return typeof value === "number" && value > 0 ? value : undefined;
}

/** An array where each layer has a number of its own. */
const valueAt = ({ architecture, metadata }: ModelFileHeader, key: string): MetadataValue | undefined =>
  metadata[`${architecture}.${key}`];
