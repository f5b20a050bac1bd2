import assert from "node:assert/strict";
import { test } from "node:test";
import { fitTable, formatTable } from "./table.ts";

const titles = ["NAME", "API", "MODEL", "PROFILE", "REPLICAS", "STATUS", "AGE", "CAUSE"];
const cause = "No node provides amd.com/gpu; add a node with one, or remove spec.resources";
const rows = [
  titles,
  ["chat", "llmkube", "demo", "llamacpp", "1/1", "Ready", "3m", ""],
  ["assistant", "aim", "meta-llama-3-1-8b", "meta-llama-3-1-8b-mi300x-1x-fp16-latency", "0/1", "Failed", "12m", cause],
];
const shortened = ["PROFILE", "MODEL", "NAME"];
const linesOf = (columns: number): string[] =>
  formatTable(fitTable(rows, { columns, shortened })).trimEnd().split("\n");

test("a table that fits is not changed", () => {
  assert.deepEqual(fitTable(rows, { columns: 300, shortened }), rows);
});

test("at 120, 100 and 80 columns status and cause are shown, and no line is longer", () => {
  for (const columns of [120, 100, 80]) {
    const lines = linesOf(columns);
    for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line}`);
    assert.match(lines[2] ?? "", /^assistant {3}aim .* Failed {3}12m {3}No node/, String(columns));
  }
});

test("the profile is shortened first, then the model", () => {
  assert.equal(
    linesOf(130)[2],
    "assistant   aim       meta-llama-3-1-…   meta-llama-…   0/1        Failed   12m   No node provides amd.com/gpu; add a node with o…",
  );
});

test("a terminal that is narrower than the columns before the last keeps one letter of it", () => {
  assert.match(linesOf(40)[2] ?? "", /…$/);
});
