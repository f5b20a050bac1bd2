import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelShape } from "@trivium/domain";
import { countFreeSlots } from "./free-slots.ts";
import { servingStyles } from "./serving-styles.ts";

/** 64 KiB a token in half precision. */
const shape = {
  layers: 32,
  heads: 8,
  hiddenSize: 1024,
  attention: [{ kind: "full", layers: 32, kvHeads: 4, keyLength: 128, valueLength: 128 }],
} as unknown as ModelShape;

test("the engine of one machine opens four slots, or as many as a gibibyte of cache holds", () => {
  assert.equal(countFreeSlots(servingStyles.local, shape, 2048), 4);
  assert.equal(countFreeSlots(servingStyles.local, shape, 8192), 2);
  assert.equal(countFreeSlots(servingStyles.local, shape, 131_072), 1);
});

test("an engine that shares one context among its slots takes it once", () => {
  assert.equal(countFreeSlots(servingStyles.llamacpp, shape, 2048), 1);
});
