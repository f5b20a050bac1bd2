import assert from "node:assert/strict";
import { test } from "node:test";
import { askingKey, defineQuery } from "./query.ts";

test("equal arguments are one question, whatever the order of their keys; others are not", () => {
  const labels = defineQuery<{ image: string; platform?: string }, string>("imageLabels", { ttl: 1_000 });
  const config = defineQuery<{ image: string }, string>("imageConfig", { ttl: 1_000 });
  const key = askingKey(labels, { image: "a", platform: "b" });
  assert.equal(askingKey(labels, { platform: "b", image: "a" }), key);
  assert.notEqual(askingKey(labels, { image: "a" }), key);
  assert.notEqual(askingKey(config, { image: "a" }), askingKey(labels, { image: "a" }));
});
