// Writes small safetensors files, right or wrong in the way a test wants.
export interface WrittenSafetensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

export function writeSafetensors(header: Readonly<Record<string, unknown>> | string, dataBytes: number): Uint8Array {
  const text = Buffer.from(typeof header === "string" ? header : JSON.stringify(header));
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(text.length));
  return new Uint8Array(Buffer.concat([prefix, text, Buffer.alloc(dataBytes)]));
}

export const smallSafetensors = (): Uint8Array =>
  writeSafetensors(
    {
      __metadata__: { format: "pt" },
      "model.embed_tokens.weight": { dtype: "BF16", shape: [4, 8], data_offsets: [0, 64] },
      "model.layers.0.self_attn.q_proj.weight": { dtype: "F8_E4M3", shape: [8, 8], data_offsets: [64, 128] },
      "model.layers.0.self_attn.q_proj.weight_scale_inv": { dtype: "F32", shape: [1], data_offsets: [128, 132] },
      "lm_head.weight": { dtype: "BF16", shape: [4, 8], data_offsets: [132, 196] },
    },
    196,
  );
