/** The demo model: its layers, and how wide they are. */
const demo = { blocks: 6, width: 192 };
const rank = 4;
const alignment = 32;
const [u32, f32, string] = [4, 6, 8];

/** A small adapter for the demo model that really changes what it says; with another width it fits no layer. */
export function loraAdapter(width = demo.width): Buffer {
  const layers = Array.from({ length: demo.blocks }, (_, block) => `blk.${block}.attn_output.weight`);
  const tensors = layers.flatMap((name) => [
    { name: `${name}.lora_a`, dimensions: [width, rank] },
    { name: `${name}.lora_b`, dimensions: [rank, width] },
  ]);
  const bytesOfTensor = width * rank * 4;
  const facts = [
    fact("general.type", string, text("adapter")),
    fact("general.architecture", string, text("llama")),
    fact("general.alignment", u32, number(alignment)),
    fact("adapter.type", string, text("lora")),
    fact("adapter.lora.alpha", f32, real(rank)),
  ];
  const header = Buffer.concat([
    Buffer.from("GGUF"),
    number(3),
    long(tensors.length),
    long(facts.length),
    ...facts,
    ...tensors.map(({ name, dimensions }, at) =>
      // Type 0: plain 32-bit numbers.
      Buffer.concat([text(name), number(2), ...dimensions.map(long), number(0), long(at * bytesOfTensor)]),
    ),
  ]);
  const padding = Buffer.alloc((alignment - (header.length % alignment)) % alignment);
  const weights = new Float32Array((tensors.length * bytesOfTensor) / 4);
  // Any numbers will do, as long as they are large enough to be heard.
  for (let at = 0; at < weights.length; at++) weights[at] = Math.sin((at + 1) * 12.9898) * 0.5;
  return Buffer.concat([header, padding, Buffer.from(weights.buffer)]);
}

const fact = (key: string, type: number, value: Buffer): Buffer => Buffer.concat([text(key), number(type), value]);
const text = (value: string): Buffer => Buffer.concat([long(Buffer.byteLength(value)), Buffer.from(value)]);

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function real(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
