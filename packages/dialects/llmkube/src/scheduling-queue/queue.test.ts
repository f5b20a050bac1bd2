import assert from "node:assert/strict";
import { test } from "node:test";
import { placeInQueue, type QueueEntry } from "./queue.ts";

const entry = (key: string, priority: number, createdAt: string): QueueEntry => ({ key, priority, createdAt });

test("the more important come first, then the older, then by name", () => {
  const line = [
    entry("a/urgent", 100_000, "2026-01-03T00:00:00Z"),
    entry("a/old", 10_000, "2026-01-01T00:00:00Z"),
    entry("a/twin", 10_000, "2026-01-02T00:00:00Z"),
    entry("b/twin", 10_000, "2026-01-02T00:00:00Z"),
    entry("a/batch", 100, "2020-01-01T00:00:00Z"),
  ];
  for (const order of [line, line.toReversed()]) {
    assert.deepEqual(
      line.map((one) => placeInQueue(one, order)),
      [1, 2, 3, 4, 5],
    );
  }
});

test("who waits alone is the first, whether it is in the list already or not", () => {
  const one = entry("a/b", 1, "2026-01-01T00:00:00Z");
  assert.equal(placeInQueue(one, []), 1);
  assert.equal(placeInQueue(one, [{ ...one }]), 1);
});
