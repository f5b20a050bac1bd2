import { existsSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { demoModel } from "./contestant.ts";

/**
 * A model of a size that people serve (290 MB, Q8_0) with random weights and the vocabulary of the demo: how fast an engine is
 * does not depend on what a model knows. Written once into the cache of this user.
 */
export function randomModel(): string {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "trivium");
  const path = join(folder, "bench-290m-q8_0.gguf");
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeModel(draft);
  renameSync(draft, path);
  return path;
}

const layers = 21;
const width = 1024;
const inner = 2816;
const heads = 16;
const context = 4096;
const q8 = 8;
const f32 = 0;

interface Tensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: typeof q8 | typeof f32;
}

function tensorsOf(vocabulary: number): Tensor[] {
  const matrix = (name: string, columns: number, rows: number): Tensor => ({ name, shape: [columns, rows], type: q8 });
  const norm = (name: string): Tensor => ({ name, shape: [width], type: f32 });
  const layer = (at: number): Tensor[] => [
    norm(`blk.${at}.attn_norm.weight`),
    ...["q", "k", "v", "output"].map((part) => matrix(`blk.${at}.attn_${part}.weight`, width, width)),
    norm(`blk.${at}.ffn_norm.weight`),
    matrix(`blk.${at}.ffn_gate.weight`, width, inner),
    matrix(`blk.${at}.ffn_up.weight`, width, inner),
    matrix(`blk.${at}.ffn_down.weight`, inner, width),
  ];
  return [
    matrix("token_embd.weight", width, vocabulary),
    ...Array.from({ length: layers }, (_, at) => layer(at)).flat(),
    norm("output_norm.weight"),
    matrix("output.weight", width, vocabulary),
  ];
}

const sizes: Readonly<Record<string, number>> = {
  "llama.context_length": context,
  "llama.embedding_length": width,
  "llama.block_count": layers,
  "llama.feed_forward_length": inner,
  "llama.attention.head_count": heads,
  "llama.attention.head_count_kv": heads,
  "llama.rope.dimension_count": width / heads,
};

function writeModel(path: string): void {
  const { fields, vocabulary } = fieldsOfDemo();
  const tensors = tensorsOf(vocabulary);
  const file = openSync(path, "w");
  let at = 0;
  const write = (bytes: Uint8Array): void => {
    writeSync(file, bytes);
    at += bytes.length;
  };
  const head = [Buffer.from("GGUF"), u32(3), u64(tensors.length), u64(fields.length + Object.keys(sizes).length)];
  const sized = Object.entries(sizes).map(([key, value]) => Buffer.concat([text(key), u32(4), u32(value)]));
  write(Buffer.concat([...head, ...fields, ...sized]));
  let offset = 0;
  for (const { name, shape, type } of tensors) {
    write(Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(type), u64(offset)]));
    offset += Math.ceil(bytesOf(shape, type) / 32) * 32;
  }
  write(Buffer.alloc((32 - (at % 32)) % 32));
  for (const { shape, type } of tensors) {
    write(type === f32 ? ones(shape[0]!) : randomBlocks(bytesOf(shape, type)));
    write(Buffer.alloc((32 - (at % 32)) % 32));
  }
}

const bytesOf = (shape: readonly number[], type: number): number => {
  const elements = shape.reduce((product, one) => product * one, 1);
  return type === f32 ? elements * 4 : (elements / 32) * 34;
};

const ones = (count: number): Uint8Array => new Uint8Array(new Float32Array(count).fill(1).buffer);

let state = 0x9e3779b9;
/** Blocks of 32 weights: a scale in half precision, then a byte each. */
function randomBlocks(bytes: number): Uint8Array {
  const blocks = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    blocks[at] = state;
  }
  // 0.00027 in half precision: weights with a deviation of about 0.02.
  for (let at = 0; at < bytes; at += 34) {
    blocks[at] = 0x6c;
    blocks[at + 1] = 0x0c;
  }
  return blocks;
}

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const text = (value: string): Buffer => Buffer.concat([u64(Buffer.byteLength(value)), Buffer.from(value)]);

/** The fields of the demo as they stand in its file, without its sizes. */
function fieldsOfDemo(): { fields: Buffer[]; vocabulary: number } {
  const bytes = readFileSync(demoModel);
  const fields: Buffer[] = [];
  let vocabulary = 0;
  let at = 24;
  const number = (): number => {
    at += 8;
    return Number(bytes.readBigUInt64LE(at - 8));
  };
  const widths: Readonly<Record<number, number>> = {
    0: 1,
    1: 1,
    2: 2,
    3: 2,
    4: 4,
    5: 4,
    6: 4,
    7: 1,
    10: 8,
    11: 8,
    12: 8,
  };
  const skip = (type: number): void => {
    // Reading the length moves on, so it has to come first.
    const length = type === 8 ? number() : widths[type]!;
    at += length;
  };
  for (let left = Number(bytes.readBigUInt64LE(16)); left > 0; left--) {
    const start = at;
    const length = number();
    const key = bytes.toString("utf8", at, at + length);
    at += length;
    const type = bytes.readUInt32LE(at);
    at += 4;
    if (type === 9) {
      const element = bytes.readUInt32LE(at);
      at += 4;
      const count = number();
      if (key === "tokenizer.ggml.tokens") vocabulary = count;
      for (let i = 0; i < count; i++) skip(element);
    } else skip(type);
    if (!(key in sizes)) fields.push(bytes.subarray(start, at));
  }
  return { fields, vocabulary };
}
