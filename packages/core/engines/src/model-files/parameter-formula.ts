import type { ModelShape } from "@trivium/domain";
import type { JsonObject } from "@trivium/std";
import { countIn, sizeIn, textIn } from "./fields.ts";

/** Families whose feed-forward part has two matrices; all others have a gate as a third. */
const withoutGate = /^(?:gpt2|gpt_neox|gpt_bigcode|gptj|opt|bloom|falcon|phi|bert|roberta|xlm-roberta|mpt|starcoder2)$/;

/** Parameters of a decoder of these measures: tokens, attention, feed-forward, norms. */
export function parseParameterFormula(config: JsonObject, shape: ModelShape): number | undefined {
  const { layers, hiddenSize, vocabularySize } = shape;
  const inner = shape.intermediateSize ?? 4 * hiddenSize;
  if (vocabularySize === undefined) return undefined;
  const matrices = withoutGate.test(textIn(config, "model_type") ?? "") ? 2 : 3;
  const dense = matrices * hiddenSize * inner;
  const denseLayers =
    shape.experts === undefined ? layers : Math.min(layers, countIn(config, "first_k_dense_replace") ?? 0);
  const feedForward = denseLayers * dense + (layers - denseLayers) * expertParameters(shape, matrices, inner);
  const tables = (shape.sharesEmbeddings === true ? 1 : 2) * vocabularySize * hiddenSize;
  const total = tables + layers * (attentionParameters(config, shape) + 2 * hiddenSize) + feedForward + hiddenSize;
  return Number.isSafeInteger(total) ? total : undefined;
}

function expertParameters({ experts, hiddenSize }: ModelShape, matrices: number, inner: number): number {
  if (experts === undefined) return 0;
  const one = matrices * hiddenSize * (experts.intermediateSize ?? inner);
  return (experts.count + (experts.shared ?? 0)) * one + hiddenSize * experts.count;
}

function attentionParameters(config: JsonObject, { heads, hiddenSize, attention }: ModelShape): number {
  const [first] = attention;
  if (first?.kind === "latent") return latentParameters(config, heads, hiddenSize);
  if (first === undefined || first.kind === "recurrent") return 4 * hiddenSize * hiddenSize;
  const { kvHeads, keyLength, valueLength } = first;
  return hiddenSize * (heads * (keyLength + valueLength) + kvHeads * (keyLength + valueLength));
}

function latentParameters(config: JsonObject, heads: number, hiddenSize: number): number {
  const rank = sizeIn(config, "kv_lora_rank") ?? 0;
  const rotary = sizeIn(config, "qk_rope_head_dim") ?? 0;
  const plain = sizeIn(config, "qk_nope_head_dim") ?? 0;
  const value = sizeIn(config, "v_head_dim") ?? plain;
  const queryRank = sizeIn(config, "q_lora_rank");
  const queries = heads * (plain + rotary);
  const query = queryRank === undefined ? hiddenSize * queries : queryRank * (hiddenSize + queries);
  return query + hiddenSize * (rank + rotary) + rank * heads * (plain + value) + heads * value * hiddenSize;
}
