import assert from "node:assert/strict";
import { it } from "node:test";
import { normalize } from "./normalize.ts";

it("brings a vector to a length by the numbers of llama-server", () => {
  assert.deepEqual(normalize([3, -4], -1), [3, -4]);
  assert.deepEqual(normalize([3, -4], 0), [24_570, -32_760]);
  assert.deepEqual(normalize([1, -3], 1), [0.25, -0.75]);
  assert.deepEqual(normalize([3, -4], 2), [0.6, -0.8]);
  assert.deepEqual(normalize([0, 0], 2), [0, 0]);
});
