/** What flags ask for, as the addon wants it. */
import type { AddonContextOptions, AddonModelOptions, AddonOverride } from "../addon.ts";
import { type LoadOrder, poolings } from "../model/messages.ts";

export function modelOptions(order: LoadOrder): AddonModelOptions {
  const { options } = order;
  const layers = Number(options.n_gpu_layers ?? -1);
  return {
    useMmap: options.use_mmap !== false,
    useMlock: options.use_mlock === true,
    ...(layers < 0 ? {} : { gpuLayers: layers }),
    overridesList: overridesOf(order),
  };
}

/** The addon has no options for these; but what stands in the model's file decides them, and that can be overridden. */
function overridesOf({ options, file }: LoadOrder): AddonOverride[] {
  const number = (name: string): number => Number(options[name] ?? 0);
  const overrides: AddonOverride[] = [...((options.overrides as readonly AddonOverride[] | undefined) ?? [])];
  const set = (key: string, value: AddonOverride[1], kind: AddonOverride[2]): void => {
    overrides.push([`${file.architecture}.${key}`, value, kind]);
  };
  if (file.pooling !== undefined && file.pooling !== "rank") set("pooling_type", poolings.indexOf(file.pooling), 0);
  if (number("rope_freq_base") > 0) set("rope.freq_base", number("rope_freq_base"), 1);
  if (number("rope_freq_scale") > 0) set("rope.scaling.factor", 1 / number("rope_freq_scale"), 1);
  if (typeof options.rope_scaling === "string") set("rope.scaling.type", options.rope_scaling, undefined);
  if (number("yarn_orig_ctx") > 0) set("rope.scaling.original_context_length", number("yarn_orig_ctx"), 0);
  return overrides;
}

export interface Computing {
  readonly typeOf: (name: string) => number | undefined;
  /** It computes on a processor with AVX-512. */
  readonly hasWideVectors: boolean;
}

export function contextOptions(order: LoadOrder, { typeOf, hasWideVectors }: Computing): AddonContextOptions {
  const { options, slots, contextPerSlot, batchSize, file } = order;
  const isEmbedding = options.embedding === true;
  const sequences = isEmbedding ? slots + 1 : slots;
  const types = { kvCacheKeyType: options.cache_type_k, kvCacheValueType: options.cache_type_v };
  const known = Object.entries(types).flatMap(([name, type]) => {
    const number = typeof type === "string" ? typeOf(type.toUpperCase()) : undefined;
    return number === undefined ? [] : [[name, number] as const];
  });
  return {
    contextSize: contextPerSlot * sequences,
    // Native code ends the process where vectors are pooled and a batch cannot be divided evenly among the sequences.
    batchSize: isEmbedding ? Math.ceil(batchSize / sequences) * sequences : batchSize,
    sequences,
    threads: Number(options.n_threads),
    flashAttention: hasWideVectors && isSlowAttention(order) ? false : flashAttentionOf(options.flash_attn_type),
    // A cache that forgets what lies behind its window has nothing to go back to after a wrong guess.
    swaFullCache: options.swa_full === true || order.speculation !== undefined,
    ...(isEmbedding ? { embeddings: true, ranking: file.pooling === "rank" } : {}),
    ...Object.fromEntries(known),
  };
}

/** How many numbers ggml's code for AVX-512 compares at once. */
const wideStep = 64;
const mostScores = 64 * 1024 ** 2;

/**
 * What is left of a head behind its last 64 numbers is computed one number at a time by flash attention on AVX-512: a token of a model with
 * heads of 32 took four times as long. Left as it is where the caller decided, where vectors are wanted (long inputs are
 * faster), where a compressed cache requires it, and where the scores of all tokens would take too much memory.
 */
function isSlowAttention({ options, contextPerSlot, batchSize, file }: LoadOrder): boolean {
  const isOpen = options.flash_attn_type === undefined || options.flash_attn_type === "auto";
  if (!isOpen || options.embedding === true || file.heads === undefined || file.heads.size % wideStep === 0)
    return false;
  const isPlainCache = [undefined, "f16", "f32", "bf16"].includes(options.cache_type_v as string | undefined);
  return isPlainCache && contextPerSlot * batchSize * file.heads.count * 4 <= mostScores;
}

function flashAttentionOf(given: unknown): boolean | "auto" {
  if (given === "on" || given === "enabled") return true;
  return given === "off" || given === "disabled" ? false : "auto";
}
