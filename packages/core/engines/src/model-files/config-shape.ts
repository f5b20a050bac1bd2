import type { Experts, ModelShape } from "@trivium/domain";
import { getOwn, type JsonObject } from "@trivium/std";
import { countIn, flagIn, objectIn, present, sizeIn, textIn, textsIn } from "./fields.ts";
import { groupLayers, type LayerKind, maxLayers } from "./layer-groups.ts";

/** Families that alternate windows and full sight without saying so in their files: every n-th layer is full. */
const fullEvery: Readonly<Record<string, number>> = {
  gemma2: 2,
  gemma3_text: 6,
  gemma3: 6,
  cohere2: 4,
  llama4_text: 4,
};

/** The measures of a Hugging Face configuration, or undefined when it leaves out the essential ones. */
export function parseConfigShape(config: JsonObject): ModelShape | undefined {
  const layers = sizeIn(config, "num_hidden_layers", "n_layer", "num_layers", "n_layers");
  const hiddenSize = sizeIn(config, "hidden_size", "n_embd", "d_model", "dim");
  if (layers === undefined || layers > maxLayers || hiddenSize === undefined) return undefined;
  const heads = sizeIn(config, "num_attention_heads", "n_head", "n_heads") ?? 0;
  const layerTypes = textsIn(config, "layer_types");
  const kindTypes = layerTypes.length > 0 ? layerTypes : textsIn(config, "layers_block_type");
  const measures: Measures = { config, layers, hiddenSize, heads, kindTypes };
  const kinds = Array.from({ length: layers }, (_, layer) => layerKind(measures, layer));
  return {
    layers,
    hiddenSize,
    heads,
    attention: groupLayers(kinds),
    ...present({
      contextLength: contextOf(config),
      vocabularySize: sizeIn(config, "vocab_size", "padded_vocab_size", "n_vocab"),
      intermediateSize: sizeIn(config, "intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim"),
      experts: expertsOf(config),
      sharesEmbeddings: flagIn(config, "tie_word_embeddings"),
    }),
  };
}

/** The longest context. One family counts it as `seq_length` and keeps a smaller number beside it. */
export function contextOf(config: JsonObject): number | undefined {
  const first = textIn(config, "model_type") === "qwen" ? ["seq_length"] : [];
  return sizeIn(
    config,
    ...first,
    "max_position_embeddings",
    "seq_length",
    "n_positions",
    "max_seq_len",
    "max_sequence_length",
    "n_ctx",
  );
}

interface Measures {
  readonly config: JsonObject;
  readonly layers: number;
  readonly hiddenSize: number;
  readonly heads: number;
  /** What kind each layer is, for those families that list it. */
  readonly kindTypes: readonly string[];
}

function expertsOf(config: JsonObject): Experts | undefined {
  const nested = objectIn(config, "ffn_config");
  const words = ["num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"];
  const count = sizeIn(config, ...words) ?? sizeIn(nested, ...words);
  if (count === undefined || count === 1) return undefined;
  const used = ["num_experts_per_tok", "num_experts_per_token", "moe_top_k", "moe_topk", "top_k_experts"];
  return {
    count,
    ...present({
      used: sizeIn(config, ...used) ?? sizeIn(nested, ...used),
      intermediateSize: sizeIn(config, "moe_intermediate_size", "expert_intermediate_size"),
      shared: sizeIn(config, "n_shared_experts", "num_shared_experts"),
    }),
  };
}

function layerKind(measures: Measures, layer: number): LayerKind {
  const { config, hiddenSize, heads } = measures;
  if (isRecurrent(measures, layer)) return { kind: "recurrent", layers: 1, elements: stateElements(measures) };
  const rank = sizeIn(config, "kv_lora_rank");
  const rotary = sizeIn(config, "qk_rope_head_dim");
  if (rank !== undefined && rotary !== undefined) return { kind: "latent", layers: 1, length: rank + rotary };
  const fallback = heads > 0 ? Math.floor(hiddenSize / heads) : 0;
  const keyLength = sizeIn(config, "head_dim", "kv_channels", "attention_head_dim") ?? fallback;
  const valueLength = sizeIn(config, "v_head_dim") ?? keyLength;
  const kept = { layers: 1 as const, kvHeads: kvHeadsOf(config, heads), keyLength, valueLength };
  const window = windowAt(measures, layer);
  return window === undefined ? { kind: "full", ...kept } : { kind: "window", ...kept, window };
}

function kvHeadsOf(config: JsonObject, heads: number): number {
  const grouped = sizeIn(config, "num_key_value_heads", "num_kv_heads", "n_head_kv");
  if (grouped !== undefined) return grouped;
  const nested = sizeIn(objectIn(config, "attn_config"), "kv_n_heads");
  if (nested !== undefined) return nested;
  if (flagIn(config, "multi_query_attention") === true) return sizeIn(config, "multi_query_group_num") ?? 1;
  return flagIn(config, "multi_query") === true ? 1 : heads;
}

/** How far back a layer looks; undefined when it sees everything. */
function windowAt({ config, kindTypes }: Measures, layer: number): number | undefined {
  const window = sizeIn(config, "sliding_window", "attention_chunk_size");
  if (window === undefined || flagIn(config, "use_sliding_window") === false) return undefined;
  if (kindTypes.length > 0) return /sliding|chunked|local/.test(kindTypes[layer] ?? "") ? window : undefined;
  const every = sizeIn(config, "sliding_window_pattern", "_sliding_window_pattern") ?? patternOf(config);
  if (every !== undefined) return (layer + 1) % every === 0 ? undefined : window;
  // Layers below this one see everything, where a configuration switches windows on.
  const first = flagIn(config, "use_sliding_window") === true ? countIn(config, "max_window_layers") : undefined;
  return layer < (first ?? 0) ? undefined : window;
}

function patternOf(config: JsonObject): number | undefined {
  return getOwn(fullEvery, textIn(config, "model_type") ?? "");
}

/** Layers that keep a state instead of keys and values, told in the ways that hybrid models tell it. */
function isRecurrent({ config, heads, kindTypes }: Measures, layer: number): boolean {
  const type = kindTypes[layer];
  if (type !== undefined) return /linear|mamba|recurrent|conv/.test(type);
  const pattern = textIn(config, "hybrid_override_pattern");
  if (pattern !== undefined) return pattern[layer] !== "*";
  const interval = sizeIn(config, "full_attention_interval");
  if (interval !== undefined) return (layer + 1) % interval !== 0;
  const period = sizeIn(config, "attn_layer_period");
  if (period !== undefined) return layer % period !== (countIn(config, "attn_layer_offset") ?? 0);
  return heads === 0 && sizeIn(config, "state_size", "ssm_state_size") !== undefined;
}

function stateElements({ config, hiddenSize }: Measures): number {
  const kernel = sizeIn(config, "linear_conv_kernel_dim", "mamba_d_conv", "conv_kernel") ?? 1;
  const valueHeads = sizeIn(config, "linear_num_value_heads");
  if (valueHeads !== undefined) {
    const key = sizeIn(config, "linear_key_head_dim") ?? 0;
    const value = sizeIn(config, "linear_value_head_dim") ?? 0;
    const channels = 2 * (sizeIn(config, "linear_num_key_heads") ?? 0) * key + valueHeads * value;
    return valueHeads * key * value + (kernel - 1) * channels;
  }
  const heads = sizeIn(config, "mamba_num_heads", "mamba_n_heads") ?? 0;
  const headed = heads * (sizeIn(config, "mamba_head_dim", "mamba_d_head") ?? 0);
  const inner = headed || hiddenSize * (sizeIn(config, "expand", "mamba_expand") ?? 2);
  const state = sizeIn(config, "ssm_state_size", "mamba_d_state", "state_size") ?? 0;
  return inner * state + (kernel - 1) * inner;
}
