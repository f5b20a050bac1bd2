import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LoadOrder, ModelFile } from "../model/messages.ts";
import { contextOptions } from "./load-options.ts";

describe("flash attention that nobody asked for or against", () => {
  const chosen = ({ heads = 32, hasWideVectors = true, context = 512, options = {} }: Case): boolean | "auto" =>
    contextOptions(orderOf(heads, context, options), { typeOf: () => 1, hasWideVectors }).flashAttention;

  it("is left out where AVX-512 computes the rest of a head one number at a time", () => {
    const answers = [32, 64, 80, 96, 128].map((heads) => [heads, chosen({ heads })]);
    assert.deepEqual(answers, [
      [32, false],
      [64, "auto"],
      [80, false],
      [96, false],
      [128, "auto"],
    ]);
  });

  it("is used on other processors and GPUs, for vectors, with a compressed cache, and where scores need much memory", () => {
    assert.equal(chosen({ hasWideVectors: false }), "auto");
    assert.equal(chosen({ options: { embedding: true } }), "auto");
    assert.equal(chosen({ options: { cache_type_v: "q8_0" } }), "auto");
    assert.equal(chosen({ context: 8192 }), "auto");
  });

  it("is what the caller says", () => {
    assert.equal(chosen({ options: { flash_attn_type: "on" } }), true);
    assert.equal(chosen({ heads: 128, options: { flash_attn_type: "off" } }), false);
  });
});

interface Case {
  readonly heads?: number;
  readonly hasWideVectors?: boolean;
  readonly context?: number;
  readonly options?: LoadOrder["options"];
}

function orderOf(size: number, contextPerSlot: number, options: LoadOrder["options"]): LoadOrder {
  const file: Partial<ModelFile> = { architecture: "llama", heads: { size, count: 8 } };
  const order: Partial<LoadOrder> = {
    slots: 4,
    contextPerSlot,
    batchSize: 512,
    file: file as ModelFile,
    options: { flash_attn_type: "auto", n_threads: 1, ...options },
  };
  return order as LoadOrder;
}
