import assert from "node:assert/strict";
import { test } from "node:test";
import { findOversize } from "./capacity.ts";
import type { ModelFileHeader } from "./model-header.ts";

const header = (more: ModelFileHeader["metadata"] = {}): ModelFileHeader => ({
  architecture: "llama",
  bytes: 1,
  vocabulary: 1,
  metadata: {
    "llama.block_count": 6,
    "llama.attention.head_count": 6,
    "llama.attention.head_count_kv": 3,
    "llama.embedding_length": 192,
    ...more,
  },
});
const capacity = (slots: number, contextPerSlot: number) => ({ slots, contextPerSlot, trainedContext: 512 });
const on = (gibibytes: number, type?: string) => ({ memory: gibibytes * 1024 ** 3, cacheTypes: [type, type] });

test("a cache that no memory of this machine can hold is refused in words, before anything is taken", () => {
  assert.equal(
    findOversize(header(), capacity(1, 20_000_000), on(24)),
    "the cache of 1 slot of 20000000 tokens needs 42.9Gi, and this machine has 24.0Gi of memory; " +
      "lower --ctx-size or --parallel",
  );
  assert.equal(findOversize(header(), capacity(1, 20_000_000), on(24, "q4_0")), undefined, "a smaller type of cache");
  assert.equal(findOversize(header(), capacity(4, 4096), on(24)), undefined);
});

test("models whose cache does not grow with the context are let through", () => {
  const long = capacity(1, 100_000_000);
  assert.equal(findOversize(header({ "llama.attention.sliding_window": 512 }), long, on(1)), undefined);
  const differs = header({ "llama.attention.head_count_kv": [3, 3, 1, 1, 3, 3] });
  assert.equal(findOversize(differs, long, on(1)), undefined);
  assert.equal(findOversize(header({ "llama.ssm.state_size": 128 }), long, on(1)), undefined);
});
