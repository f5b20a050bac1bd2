import assert from "node:assert/strict";
import { test } from "node:test";
import { describeRate } from "./describe-rate.ts";

test("tokens per second count from the first token on", () => {
  const text = describeRate({ tokens: 50, seconds: 2, firstSeconds: 0.5 });
  assert.equal(text, "50 tokens, 25.0 tokens/s, first token after 0.50s");
});

test("an answer that arrives all at once is measured from the question on", () => {
  const text = describeRate({ tokens: 24, seconds: 0.008, firstSeconds: 0.232 });
  assert.equal(text, "24 tokens, 100.0 tokens/s, first token after 0.23s");
});
