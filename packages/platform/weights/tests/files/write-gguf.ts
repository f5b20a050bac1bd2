// Writes small GGUF files of any version and byte order, right or wrong in the way a test wants.

export type GgufValue =
  | {
      readonly type: "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32" | "u64" | "i64" | "f64";
      readonly value: number;
    }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "array"; readonly of: GgufValue["type"]; readonly items: readonly GgufValue[] };

export interface WrittenTensor {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly type: number;
  readonly offset: number;
}

export interface WrittenGguf {
  readonly version?: number;
  readonly isBig?: boolean;
  readonly metadata?: readonly (readonly [string, GgufValue])[];
  readonly tensors?: readonly WrittenTensor[];
  /** Bytes of tensors after the header. */
  readonly dataBytes?: number;
  readonly alignment?: number;
  /** Claimed instead of what is there. */
  readonly claims?: { readonly tensors?: number; readonly keys?: number };
}

const typeNumbers: Readonly<Record<GgufValue["type"], number>> = {
  u8: 0,
  i8: 1,
  u16: 2,
  i16: 3,
  u32: 4,
  i32: 5,
  f32: 6,
  bool: 7,
  string: 8,
  array: 9,
  u64: 10,
  i64: 11,
  f64: 12,
};

type NumberWriter = readonly [
  bytes: number,
  write: (view: DataView, at: number, value: number, isLittle: boolean) => void,
];

const numbers: Readonly<Record<Exclude<GgufValue["type"], "string" | "array">, NumberWriter>> = {
  u8: [1, (view, at, value) => view.setUint8(at, value)],
  i8: [1, (view, at, value) => view.setInt8(at, value)],
  bool: [1, (view, at, value) => view.setUint8(at, value)],
  u16: [2, (view, at, value, isLittle) => view.setUint16(at, value, isLittle)],
  i16: [2, (view, at, value, isLittle) => view.setInt16(at, value, isLittle)],
  u32: [4, (view, at, value, isLittle) => view.setUint32(at, value, isLittle)],
  i32: [4, (view, at, value, isLittle) => view.setInt32(at, value, isLittle)],
  f32: [4, (view, at, value, isLittle) => view.setFloat32(at, value, isLittle)],
  u64: [8, (view, at, value, isLittle) => view.setBigUint64(at, BigInt(value), isLittle)],
  i64: [8, (view, at, value, isLittle) => view.setBigInt64(at, BigInt(value), isLittle)],
  f64: [8, (view, at, value, isLittle) => view.setFloat64(at, value, isLittle)],
};

export const u32 = (value: number): GgufValue => ({ type: "u32", value });
export const text = (value: string): GgufValue => ({ type: "string", value });
export const list = (of: GgufValue["type"], items: readonly GgufValue[]): GgufValue => ({ type: "array", of, items });

export function writeGguf(file: WrittenGguf): Uint8Array {
  const out = new Writer(file.isBig ?? false, file.version ?? 3);
  const metadata = file.metadata ?? [];
  const tensors = file.tensors ?? [];
  out.raw("GGUF");
  out.u32(file.version ?? 3);
  out.length(file.claims?.tensors ?? tensors.length);
  out.length(file.claims?.keys ?? metadata.length);
  for (const [key, value] of metadata) {
    out.text(key);
    out.u32(typeNumbers[value.type]);
    out.value(value);
  }
  for (const { name, dimensions, type, offset } of tensors) {
    out.text(name);
    out.u32(dimensions.length);
    for (const dimension of dimensions) out.length(dimension);
    out.u32(type);
    out.u64(offset);
  }
  if (file.dataBytes === undefined) return out.bytes();
  out.pad(file.alignment ?? 32);
  out.zeros(file.dataBytes);
  return out.bytes();
}

class Writer {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;
  readonly #isBig: boolean;
  readonly #version: number;

  constructor(isBig: boolean, version: number) {
    this.#isBig = isBig;
    this.#version = version;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#at);
  }

  raw(characters: string): void {
    const encoded = Buffer.from(characters);
    const at = this.#space(encoded.length);
    this.#bytes.set(encoded, at);
  }

  zeros(count: number): void {
    const at = this.#space(count);
    this.#bytes.fill(0, at, at + count);
  }

  pad(alignment: number): void {
    this.zeros((alignment - (this.#at % alignment)) % alignment);
  }

  length(count: number): void {
    if (this.#version === 1) this.u32(count);
    else this.u64(count);
  }

  text(characters: string): void {
    this.length(Buffer.byteLength(characters));
    this.raw(characters);
  }

  u32(value: number): void {
    const at = this.#space(4);
    this.#view.setUint32(at, value, !this.#isBig);
  }

  u64(value: number): void {
    const at = this.#space(8);
    this.#view.setBigUint64(at, BigInt(value), !this.#isBig);
  }

  value(value: GgufValue): void {
    if (value.type === "string") this.text(value.value);
    else if (value.type === "array") this.#list(value.of, value.items);
    else {
      const [bytes, write] = numbers[value.type];
      const at = this.#space(bytes);
      write(this.#view, at, Number(value.value), !this.#isBig);
    }
  }

  #list(of: GgufValue["type"], items: readonly GgufValue[]): void {
    this.u32(typeNumbers[of]);
    this.length(items.length);
    for (const item of items) this.value(item);
  }

  /** Makes room for so many bytes and says where. */
  #space(bytes: number): number {
    if (this.#at + bytes > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + bytes));
      larger.set(this.#bytes.subarray(0, this.#at));
      this.#bytes = larger;
      this.#view = new DataView(larger.buffer);
    }
    this.#at += bytes;
    return this.#at - bytes;
  }
}

/** A llama of a few kilobytes with everything in it that a reader meets. */
export function smallLlama(extra: Partial<WrittenGguf> = {}): Uint8Array {
  return writeGguf({
    metadata: [
      ["general.architecture", text("llama")],
      ["general.name", text("Small")],
      ["general.file_type", u32(0)],
      ["llama.block_count", u32(2)],
      ["llama.context_length", u32(128)],
      ["llama.embedding_length", u32(32)],
      ["llama.attention.head_count", u32(4)],
      ["llama.attention.head_count_kv", list("u32", [u32(2), u32(1)])],
      ["tokenizer.ggml.tokens", list("string", ["a", "bc", "", "日本"].map(text))],
      [
        "tokenizer.ggml.scores",
        list(
          "f32",
          [0, -1, -2, -3].map((value) => ({ type: "f32", value })),
        ),
      ],
      ["odd.nested", list("array", [list("u8", [{ type: "u8", value: 7 }]), list("string", [text("x")])])],
      ["odd.wide", { type: "i64", value: -5 }],
      ["odd.flag", { type: "bool", value: true }],
    ],
    tensors: [
      { name: "token_embd.weight", dimensions: [32, 4], type: 0, offset: 0 },
      { name: "blk.0.attn_q.weight", dimensions: [32, 32], type: 8, offset: 512 },
      { name: "blk.1.attn_q.weight", dimensions: [32, 32], type: 1, offset: 1600 },
      { name: "output_norm.weight", dimensions: [32], type: 0, offset: 3648 },
    ],
    dataBytes: 3776,
    ...extra,
  });
}

/** A header like those of large vocabularies: `words` tokens, as many types, nearly twice as many merges, `tensors` tensors. */
export function largeHeader(words: number, tensors: number): Uint8Array {
  const token = (at: number): GgufValue => text(`Ġtok${(at * 7919) % 100_003}`.slice(0, 4 + (at % 9)));
  return writeGguf({
    metadata: [
      ["general.architecture", text("llama")],
      ["general.name", text("Large")],
      ["llama.block_count", u32(32)],
      ["llama.context_length", u32(8192)],
      ["llama.embedding_length", u32(4096)],
      ["llama.attention.head_count", u32(32)],
      ["llama.attention.head_count_kv", u32(8)],
      ["tokenizer.ggml.model", text("gpt2")],
      [
        "tokenizer.ggml.tokens",
        list(
          "string",
          Array.from({ length: words }, (_, at) => token(at)),
        ),
      ],
      [
        "tokenizer.ggml.token_type",
        list(
          "i32",
          Array.from({ length: words }, () => ({ type: "i32", value: 1 })),
        ),
      ],
      [
        "tokenizer.ggml.merges",
        list(
          "string",
          Array.from({ length: Math.floor(words * 1.8) }, (_, at) => text(`Ġ${at % 997} ${at % 7919}`)),
        ),
      ],
      ["tokenizer.chat_template", text("{{ messages }}")],
      ["general.file_type", u32(15)],
    ],
    tensors: Array.from({ length: tensors }, (_, at) => ({
      name: `blk.${Math.floor(at / 9)}.part_${at % 9}.weight`,
      dimensions: [256, 4],
      type: 12,
      offset: at * 576,
    })),
    dataBytes: tensors * 576,
  });
}
