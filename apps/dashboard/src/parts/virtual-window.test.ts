import assert from "node:assert/strict";
import { test } from "node:test";
import { windowOf } from "./virtual-window.ts";

test("only rows that can be seen are drawn, and the height stays that of all", () => {
  const seen = { rowHeight: 40, height: 800 };
  for (const [count, top] of [
    [0, 0],
    [5, 0],
    [10_000, 0],
    [10_000, 200_000],
    [10_000, 10_000_000],
  ] as const) {
    const { first, end, above, below } = windowOf({ ...seen, count, top });
    assert.ok(end - first <= 20 + 24, `${end - first} rows`);
    assert.equal(above + (end - first) * 40 + below, count * 40);
    assert.ok(first <= end && first >= 0 && end <= count);
  }
  assert.deepEqual(windowOf({ ...seen, count: 10_000, top: 4_000 }), {
    first: 88,
    end: 132,
    above: 3520,
    below: 394_720,
  });
});
