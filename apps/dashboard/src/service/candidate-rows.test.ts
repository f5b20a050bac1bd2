import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChoiceCandidate } from "@trivium/domain";
import { candidateTable } from "./candidate-rows.ts";

const candidate = (name: string, fields: Partial<ChoiceCandidate> = {}): ChoiceCandidate => ({
  ...{ name, is: "rejected", failed: [] },
  ...fields,
});

test("what was selected comes first, and a column that no candidate fills is left out", () => {
  const gpu = { gate: "GPU", required: "amd", actual: "nvidia" };
  const table = candidateTable({
    candidates: [
      candidate("rocm", { failed: [gpu, { ...gpu, gate: "memory" }] }),
      candidate("cuda", { is: "chosen" }),
      candidate("cpu", { is: "outranked", lost: { rank: "speed", best: "10", actual: "1" } }),
    ],
  });
  assert.deepEqual(table, {
    columns: ["Check", "Required", "Actual"],
    rows: [
      { name: "cuda", result: "chosen", checks: [{}] },
      { name: "cpu", result: "outranked", checks: [{ Check: "speed", Required: "10", Actual: "1" }] },
      {
        name: "rocm",
        result: "rejected",
        checks: [
          { Check: "GPU", Required: "amd", Actual: "nvidia" },
          { Check: "memory", Required: "amd", Actual: "nvidia" },
        ],
      },
    ],
  });
  assert.deepEqual(candidateTable({ candidates: [candidate("cuda", { is: "chosen" })] }).columns, []);
  assert.deepEqual(candidateTable({ candidates: [candidate("a", { change: "add a GPU" })] }).columns, ["To use it"]);
});
