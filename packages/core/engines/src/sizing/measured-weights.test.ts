import assert from "node:assert/strict";
import { test } from "node:test";
import type { GgufHeader } from "@trivium/domain";
import { measureHeader, parseMeasuredWeights, planSizing, servingStyles, sizedModelOf, sizeServing } from "./index.ts";
import { parseSizingArguments } from "./sizing-arguments.ts";

const header: GgufHeader = {
  format: "gguf",
  version: 3,
  byteOrder: "little",
  files: 1,
  metadata: {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "llama.context_length": 32768,
  },
  tensors: {
    count: 3,
    elements: 300,
    bytes: 600,
    byType: {},
    byRole: {},
    blockBytes: [200, 200],
    outputBytes: 0,
  } as never,
  tensorCount: 3,
  warnings: [],
};

test("what a header measures survives a status and an annotation, and describes each term", () => {
  const measured = measureHeader(header);
  const stored = parseMeasuredWeights(JSON.parse(JSON.stringify(measured)));
  assert.deepEqual(stored, measured);
  const request = planSizing({
    weightBytes: measured.tensorBytes,
    model: sizedModelOf(measured),
    host: { name: "CPU", bytes: 2 ** 34 },
    style: servingStyles.local,
  });
  assert.ok(request);
  const [share] = sizeServing(request).shares;
  assert.deepEqual(
    share?.terms.map(({ what }) => what),
    ["weights", "cache", "compute", "reserve"],
  );
  assert.equal(request.context, 4096, "llama.cpp starts with a context of this length");
  assert.equal(share?.terms[0]?.how, "2 of 2 layers, 400 B + 200 B of embeddings");
});

test("measures that others wrote are taken only in their form", () => {
  const { shape } = measureHeader(header);
  assert.ok(shape);
  const [group] = shape.attention;
  for (const value of [
    undefined,
    [],
    "x",
    { shape: {} },
    { blockBytes: [-1] },
    { shape: { ...shape, layers: 0 } },
    { shape: { ...shape, attention: [{ ...group, kvHeads: undefined }] } },
    { shape: { ...shape, attention: [{ kind: "latent", layers: 2 }] } },
  ])
    assert.equal(parseMeasuredWeights(JSON.parse(JSON.stringify(value ?? null))), undefined, JSON.stringify(value));
  assert.deepEqual(parseMeasuredWeights({ parameters: 3, other: "text" }), { parameters: 3 });
});

test("an engine that pages its cache starts with the whole context, unless its arguments say otherwise", () => {
  const facts = { weightBytes: 600, model: sizedModelOf(measureHeader(header)), gpus: { count: 1, bytes: 2 ** 34 } };
  const contextOf = (args: readonly string[]) =>
    planSizing({ ...facts, ...parseSizingArguments("vllm", args), style: servingStyles.paged })?.context;
  assert.equal(contextOf([]), 32768);
  assert.equal(contextOf(["serve", "--max-model-len=2048"]), 2048);
  assert.deepEqual(parseSizingArguments("llama.cpp", ["--ctx-size", "8192", "-np", "4"]), { context: 2048, slots: 4 });
  assert.deepEqual(parseSizingArguments("llama.cpp", ["--ctx-size", "0"]), {}, "0 is the length of the model");
  assert.deepEqual(parseSizingArguments(undefined, ["--ctx-size", "10"]), {});
});
