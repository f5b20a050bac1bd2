import { type Field, float, type Tensor, whole, writeModel } from "./write-model.ts";

const width = 32;
const inner = 64;
const layers = 2;
const special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];
const letters = [..."abcdefghijklmnopqrstuvwxyz0123456789.,?!"];
/** A word starts with the mark of a space; what follows in the same word has none. */
const tokens = [...special, ...letters.map((letter) => `\u2581${letter}`), ...letters];

/** A cross-encoder of BERT's kind with the head of a ranking model: two layers, weights by a formula. */
export function rankingModel(): Buffer {
  return writeModel(fields, [...tensorsOf()]);
}

const fields: Readonly<Record<string, Field>> = {
  "general.architecture": "bert",
  "general.name": "Trivium ranking test",
  "bert.context_length": whole(128),
  "bert.embedding_length": whole(width),
  "bert.block_count": whole(layers),
  "bert.feed_forward_length": whole(inner),
  "bert.attention.head_count": whole(2),
  "bert.attention.layer_norm_epsilon": float(1e-6),
  "bert.attention.causal": false,
  "bert.pooling_type": whole(4),
  "tokenizer.ggml.model": "bert",
  "tokenizer.ggml.tokens": tokens,
  "tokenizer.ggml.token_type": tokens.map((_, at) => whole(at < special.length ? 3 : 1)),
  "tokenizer.ggml.token_type_count": whole(2),
  "tokenizer.ggml.padding_token_id": whole(0),
  "tokenizer.ggml.unknown_token_id": whole(1),
  "tokenizer.ggml.bos_token_id": whole(2),
  "tokenizer.ggml.cls_token_id": whole(2),
  "tokenizer.ggml.eos_token_id": whole(3),
  "tokenizer.ggml.seperator_token_id": whole(3),
  "tokenizer.ggml.mask_token_id": whole(4),
};

function* tensorsOf(): Generator<Tensor> {
  yield matrix("token_embd.weight", width, tokens.length);
  yield matrix("token_types.weight", width, 2);
  yield matrix("position_embd.weight", width, 128);
  yield* norm("token_embd_norm");
  for (let at = 0; at < layers; at++) {
    for (const part of ["attn_q", "attn_k", "attn_v", "attn_output"]) yield* linear(`blk.${at}.${part}`, width, width);
    yield* norm(`blk.${at}.attn_output_norm`);
    yield* linear(`blk.${at}.ffn_up`, width, inner);
    yield* linear(`blk.${at}.ffn_down`, inner, width);
    yield* norm(`blk.${at}.layer_output_norm`);
  }
  yield* linear("cls", width, width);
  yield* linear("cls.output", width, 1);
}

/** Spread evenly enough that texts differ in their scores, and the same on every machine. */
const spread = (name: string, at: number): number =>
  Math.sin((at + 1) * 12.9898 + [...name].reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), 1) * 0.001) * 0.25;

const matrix = (name: string, columns: number, rows: number): Tensor => ({
  name,
  shape: [columns, rows],
  values: (at) => spread(name, at),
});

function* linear(name: string, columns: number, rows: number): Generator<Tensor> {
  yield matrix(`${name}.weight`, columns, rows);
  yield { name: `${name}.bias`, shape: [rows], values: (at) => spread(`${name}.bias`, at) };
}

function* norm(name: string): Generator<Tensor> {
  yield { name: `${name}.weight`, shape: [width], values: () => 1 };
  yield { name: `${name}.bias`, shape: [width], values: () => 0 };
}
