import type { GgufHeader, MetadataValue, ModelShape } from "@trivium/domain";
import { getOwn } from "@trivium/std";
import { present } from "./fields.ts";
import { groupLayers, type LayerKind, maxLayers } from "./layer-groups.ts";

/** Architectures whose windows the engine lays by a fixed rule, since files do not say: every n-th layer sees everything. */
const fullEvery: Readonly<Record<string, number>> = {
  gemma2: 2,
  gemma3: 6,
  gemma3n: 5,
  "gpt-oss": 2,
  cohere2: 4,
  llama4: 4,
  exaone4: 4,
  olmo2: 4,
};

/** The measures that the metadata gives, or undefined when it leaves out the essential ones. */
export function parseGgufShape(header: GgufHeader): ModelShape | undefined {
  const read = readerOf(header);
  const layers = read.size("block_count");
  const hiddenSize = read.size("embedding_length");
  if (layers === undefined || layers > maxLayers || hiddenSize === undefined) return undefined;
  const heads = read.largest("attention.head_count") ?? 0;
  const kinds = Array.from({ length: layers }, (_, layer) => layerKind(read, { layer, hiddenSize, layers }));
  const experts = read.size("expert_count");
  return {
    layers,
    hiddenSize,
    heads,
    attention: groupLayers(kinds),
    ...present({
      contextLength: read.size("context_length"),
      vocabularySize: read.size("vocab_size") ?? vocabularyOf(header),
      intermediateSize: read.largest("feed_forward_length"),
      experts: experts === undefined ? undefined : expertsOf(read, experts),
    }),
    ...(header.tensors === undefined ? {} : { sharesEmbeddings: header.tensors.outputBytes === 0 }),
  };
}

function expertsOf(read: MetadataReader, count: number): NonNullable<ModelShape["experts"]> {
  return {
    count,
    ...present({
      used: read.size("expert_used_count"),
      intermediateSize: read.size("expert_feed_forward_length"),
      shared: read.size("expert_shared_count"),
    }),
  };
}

interface Place {
  readonly layer: number;
  readonly layers: number;
  readonly hiddenSize: number;
}

function layerKind(read: MetadataReader, { layer, hiddenSize }: Place): LayerKind {
  const heads = read.at("attention.head_count", layer) ?? 0;
  const kvHeads = read.at("attention.head_count_kv", layer) ?? heads;
  const interval = read.size("full_attention_interval");
  const isRecurrent = kvHeads === 0 || (interval !== undefined && (layer + 1) % interval !== 0);
  if (isRecurrent) return { kind: "recurrent", layers: 1, elements: stateElements(read) };
  const headLength = heads > 0 ? Math.floor(hiddenSize / heads) : 0;
  const keyLength = read.size("attention.key_length") ?? headLength;
  // Files that keep the compressed form say so with a second key length; older ones hold plain heads.
  const isLatent = read.size("attention.key_length_mla") !== undefined;
  if (isLatent) return { kind: "latent", layers: 1, length: keyLength };
  const valueLength = read.size("attention.value_length") ?? headLength;
  const window = windowAt(read, layer);
  if (window === undefined) return { kind: "full", layers: 1, kvHeads, keyLength, valueLength };
  return { kind: "window", layers: 1, kvHeads, keyLength, valueLength, window };
}

function windowAt(read: MetadataReader, layer: number): number | undefined {
  const window = read.size("attention.sliding_window") ?? read.size("attention.chunk_size");
  if (window === undefined) return undefined;
  const pattern = read.value("attention.sliding_window_pattern");
  if (Array.isArray(pattern)) return pattern[layer] === true || pattern[layer] === 1 ? window : undefined;
  const every = typeof pattern === "number" && pattern > 0 ? pattern : getOwn(fullEvery, read.architecture);
  // Where nothing says which layers look through a window, counting all as full errs on the safe side.
  return every === undefined || (layer + 1) % every === 0 ? undefined : window;
}

function stateElements(read: MetadataReader): number {
  const inner = read.size("ssm.inner_size") ?? 0;
  const state = read.size("ssm.state_size") ?? 0;
  const groups = read.size("ssm.group_count") ?? 0;
  const kernel = read.size("ssm.conv_kernel") ?? 1;
  return inner * state + (kernel - 1) * (inner + 2 * groups * state);
}

function vocabularyOf({ metadata }: GgufHeader): number | undefined {
  const tokens = getOwn(metadata, "tokenizer.ggml.tokens");
  return typeof tokens === "object" && "count" in tokens && tokens.count > 0 ? tokens.count : undefined;
}

export interface MetadataReader {
  readonly architecture: string;
  value(word: string): MetadataValue | undefined;
  /** A positive whole number. */
  size(word: string): number | undefined;
  /** One number for all layers, or a list with one for each. */
  at(word: string, layer: number): number | undefined;
  largest(word: string): number | undefined;
}

/** Reads the keys that an architecture prefixes with its name. */
export function readerOf({ metadata }: GgufHeader): MetadataReader {
  const named = getOwn(metadata, "general.architecture");
  const architecture = typeof named === "string" ? named : "";
  const value = (word: string) => getOwn(metadata, `${architecture}.${word}`);
  const at = (word: string, layer: number): number | undefined => {
    const found = value(word);
    const one = Array.isArray(found) ? found[layer] : found;
    return typeof one === "number" && Number.isInteger(one) && one >= 0 ? clamped(one) : undefined;
  };
  const size = (word: string) => at(word, 0) || undefined;
  const largest = (word: string): number | undefined => {
    const found = value(word);
    if (!Array.isArray(found)) return size(word);
    const numbers = found.filter((each): each is number => typeof each === "number" && each > 0);
    return numbers.length === 0 ? undefined : clamped(Math.max(...numbers));
  };
  return {
    architecture,
    value,
    at,
    largest,
    size: (word) => (Array.isArray(value(word)) ? largest(word) : size(word)),
  };
}

function clamped(value: number): number {
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}
