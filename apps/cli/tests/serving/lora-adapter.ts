import { text, type WrittenTensor, writeGguf } from "../../../../packages/platform/weights/tests/files/write-gguf.ts";

/** The demo model: its layers, and how wide they are. */
const demo = { blocks: 6, width: 192 };
const rank = 4;
const f32 = 0;

/** A small adapter for the demo model that really changes what it says; with another width it fits no layer. */
export function loraAdapter(width = demo.width): Buffer {
  const tensors: WrittenTensor[] = [];
  let dataBytes = 0;
  for (let block = 0; block < demo.blocks; block++) {
    for (const [part, dimensions] of [
      ["lora_a", [width, rank]],
      ["lora_b", [rank, width]],
    ] as const) {
      tensors.push({ name: `blk.${block}.attn_output.weight.${part}`, dimensions, type: f32, offset: dataBytes });
      dataBytes += width * rank * 4;
    }
  }
  const file = writeGguf({
    metadata: [
      ["general.type", text("adapter")],
      ["general.architecture", text("llama")],
      ["adapter.type", text("lora")],
      ["adapter.lora.alpha", { type: "f32", value: rank }],
    ],
    tensors,
    dataBytes,
  });
  const bytes = Buffer.from(file);
  // Any numbers will do, as long as they are large enough to be heard.
  for (let at = bytes.length - dataBytes, turn = 1; at < bytes.length; at += 4, turn++)
    bytes.writeFloatLE(Math.sin(turn * 12.9898) * 0.5, at);
  return bytes;
}
