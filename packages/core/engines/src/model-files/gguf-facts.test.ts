import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { GgufHeader, MetadataValue, TensorTotals } from "@trivium/domain";
import fc from "fast-check";
import { hasChatTemplate } from "./gguf-facts.ts";
import { parseGgufShape } from "./gguf-shape.ts";
import { parseGgufFacts, summarizeGguf } from "./index.ts";
import { parseLicense } from "./license.ts";

const totals = (byType: TensorTotals["byType"]): TensorTotals => ({
  count: 1,
  elements: 10,
  bytes: 10,
  byType,
  byRole: {},
  blockBytes: [],
  embeddingBytes: 0,
  outputBytes: 0,
  restBytes: 0,
});

function header(metadata: Record<string, MetadataValue>, extra: Partial<GgufHeader> = {}): GgufHeader {
  return {
    format: "gguf",
    version: 3,
    byteOrder: "little",
    files: 1,
    metadata,
    tensorCount: 1,
    warnings: [],
    ...extra,
  };
}

const tiny = {
  "general.architecture": "llama",
  "general.name": "Tiny Test",
  "general.file_type": 15,
  "llama.context_length": 2048,
  "llama.embedding_length": 64,
  "llama.block_count": 2,
  "llama.attention.head_count": 4,
  "general.license": "Apache 2.0",
};

describe("the summary of a GGUF header", () => {
  test("has the fields of a status", () => {
    assert.deepEqual(summarizeGguf(header(tiny)), {
      architecture: "llama",
      modelName: "Tiny Test",
      quantization: "Q4_K_M",
      license: "apache-2.0",
      contextLength: 2048,
      embeddingSize: 64,
      layerCount: 2,
      headCount: 4,
      tensorCount: 1,
      fileVersion: 3,
    });
  });

  const fileTypes: readonly (readonly [MetadataValue, string])[] = [
    [0, "F32"],
    [2, "Q4_0"],
    [15, "Q4_K_M"],
    [21, "Q2_K_S"],
    [22, "IQ3_XS"],
    [28, "IQ2_S"],
    [30, "IQ4_XS"],
    [32, "BF16"],
    [38, "MXFP4_MOE"],
    [1024 + 15, "Q4_K_M"],
    [5, "Unknown"],
    [999, "Unknown"],
  ];
  for (const [number, name] of fileTypes) {
    test(`names file type ${number} ${name}`, () => {
      assert.equal(summarizeGguf(header({ ...tiny, "general.file_type": number })).quantization, name);
    });
  }

  test("infers the type from the tensors where the file does not say it", () => {
    const { "general.file_type": _, ...silent } = tiny;
    assert.equal(summarizeGguf(header(silent)).quantization, undefined);
    const shares = { F32: { tensors: 9, elements: 5, bytes: 20 }, Q6_K: { tensors: 1, elements: 100, bytes: 82 } };
    assert.equal(summarizeGguf(header(silent, { tensors: totals(shares) })).quantization, "Q6_K");
  });

  test("takes the most heads of a model whose layers differ, and the tensors of all splits", () => {
    const odd = { ...tiny, "llama.attention.head_count": [12, 16, 20], "split.tensors.count": 700 };
    const summary = summarizeGguf(header(odd));
    assert.equal(summary.headCount, 20);
    assert.equal(summary.tensorCount, 700);
  });

  test("cuts texts and clamps numbers that are not for a status", () => {
    const wild = { ...tiny, "general.name": `${"😀".repeat(127)}xx😀`, "llama.context_length": 2 ** 63 };
    const summary = summarizeGguf(header(wild));
    assert.equal(summary.contextLength, Number.MAX_SAFE_INTEGER);
    assert.ok(summary.modelName?.isWellFormed() && summary.modelName.length <= 256);
  });

  test("is there for any metadata", () => {
    const value = fc.oneof(
      fc.string(),
      fc.double(),
      fc.boolean(),
      fc.array(fc.double()),
      fc.record({ skipped: fc.constant("array" as const), count: fc.nat() }),
    );
    const key = fc.oneof(
      fc.constantFrom(...Object.keys(tiny), "llama.attention.head_count_kv", "llama.attention.sliding_window"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.dictionary(key, value), (metadata) => {
        const any = header({ "general.architecture": "llama", ...metadata });
        JSON.stringify([summarizeGguf(any), parseGgufFacts(any), hasChatTemplate(any)]);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the measures of a GGUF model", () => {
  const shape = (metadata: Record<string, MetadataValue>) => parseGgufShape(header({ ...tiny, ...metadata }));

  test("have grouped heads where the file has them", () => {
    assert.deepEqual(shape({ "llama.attention.head_count_kv": 2 })?.attention, [
      { kind: "full", layers: 2, kvHeads: 2, keyLength: 16, valueLength: 16 },
    ]);
  });

  test("have one group for each kind of layer", () => {
    const groups = shape({
      "llama.attention.head_count_kv": [2, 0],
      "llama.ssm.inner_size": 8,
      "llama.ssm.state_size": 4,
    });
    assert.deepEqual(groups?.attention, [
      { kind: "full", layers: 1, kvHeads: 2, keyLength: 16, valueLength: 16 },
      { kind: "recurrent", layers: 1, elements: 32 },
    ]);
  });

  test("have windows as the file or the engine's rule lays them", () => {
    const gemma = {
      "general.architecture": "gemma3",
      "gemma3.block_count": 12,
      "gemma3.embedding_length": 64,
      "gemma3.attention.head_count": 4,
      "gemma3.attention.sliding_window": 1024,
    };
    const counts = (metadata: Record<string, MetadataValue>) =>
      parseGgufShape(header(metadata))?.attention.map(({ kind, layers }) => [kind, layers]);
    assert.deepEqual(counts(gemma), [
      ["window", 10],
      ["full", 2],
    ]);
    const stated = {
      ...gemma,
      "gemma3.attention.sliding_window_pattern": [true, false, true, ...new Array(9).fill(false)],
    };
    assert.deepEqual(counts(stated), [
      ["window", 2],
      ["full", 10],
    ]);
  });

  test("are compressed where the file says so, and plain in older files", () => {
    const deepseek = {
      "general.architecture": "deepseek2",
      "deepseek2.block_count": 61,
      "deepseek2.embedding_length": 7168,
      "deepseek2.attention.head_count": 128,
      "deepseek2.attention.head_count_kv": 1,
      "deepseek2.attention.key_length": 576,
      "deepseek2.attention.value_length": 512,
      "deepseek2.attention.kv_lora_rank": 512,
    };
    assert.equal(parseGgufShape(header(deepseek))?.attention[0]?.kind, "full");
    assert.deepEqual(parseGgufShape(header({ ...deepseek, "deepseek2.attention.key_length_mla": 192 }))?.attention, [
      { kind: "latent", layers: 61, length: 576 },
    ]);
  });
});

test("licences are known by one id each", () => {
  const ids = ["Apache 2.0", "MIT", "Llama 3.3 Community License", "llama3.1", "llama2", "Gemma Terms", "Own"].map(
    parseLicense,
  );
  assert.deepEqual(ids, ["apache-2.0", "mit", "llama-3.3-community", "llama-3.1-community", "llama2", "gemma", "own"]);
});
