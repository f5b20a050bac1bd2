import assert from "node:assert/strict";
import { test } from "node:test";
import { listCandidates } from "./index.ts";

test("each candidate has a line: the chosen one first, then what keeps the others from it and what would change that", () => {
  const lines = listCandidates({
    of: "runtime",
    chosen: "b",
    because: "the only compatible of 3",
    candidates: [
      {
        name: "a",
        is: "rejected",
        failed: [{ gate: "enabled", reason: "Disabled", actual: "disabled", required: "enabled" }],
        change: "set spec.disabled: false",
      },
      { name: "b", is: "chosen", failed: [] },
      { name: "c", is: "outranked", failed: [], lost: { rank: "score", actual: "2", best: "10" } },
    ],
  });
  assert.deepEqual(lines, [
    "chosen     b: the only compatible of 3",
    "rejected   a: enabled: requires enabled, found disabled; to use it, set spec.disabled: false",
    "outranked  c: score: 2 is ranked below 10",
  ]);
});
