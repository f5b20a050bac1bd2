import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeListedWeights } from "./listed-weights.ts";

const sizeOf = (files: Readonly<Record<string, number | undefined>>): number | undefined =>
  sizeListedWeights(
    Object.entries(files).map(([path, bytes]) => ({ path, ...(bytes === undefined ? {} : { bytes }) })),
  );

test("shards are one model, and copies in other formats do not add up", () => {
  const shards = { "model-00001-of-00002.safetensors": 60, "model-00002-of-00002.safetensors": 40 };
  assert.equal(sizeOf({ ...shards, "config.json": 1 }), 100);
  assert.equal(sizeOf({ ...shards, "original/consolidated.00.pth": 100, "pytorch_model.bin": 120 }), 100);
});

test("of many quantizations the smallest counts, without parts that only help", () => {
  const quantized = { "m-Q4_K_M.gguf": 40, "m-Q8_0.gguf": 80, "Q2/m-00001-of-00002.gguf": 12, "mmproj-m.gguf": 1 };
  assert.equal(sizeOf({ ...quantized, "Q2/m-00002-of-00002.gguf": 13 }), 25);
});

test("a pipeline loads every part once", () => {
  const parts = { "unet/model.safetensors": 50, "unet/model.fp16.safetensors": 25, "vae/model.safetensors": 5 };
  assert.equal(sizeOf({ "model_index.json": 1, "all-in-one.safetensors": 90, ...parts }), 30);
  assert.equal(sizeOf({ "model_index.json": 1, "all-in-one.safetensors": 90 }), 90);
});

test("nothing is known of a repository without weights, or without their sizes", () => {
  assert.equal(sizeOf({}), undefined);
  assert.equal(sizeOf({ "training_args.bin": 5, "optimizer.pt": 9, "weights.zip": 70 }), undefined);
  assert.equal(sizeOf({ "model.safetensors": undefined }), undefined);
});
