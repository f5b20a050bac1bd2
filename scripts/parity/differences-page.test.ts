import assert from "node:assert/strict";
import { test } from "node:test";
import type { Difference } from "./difference.ts";
import { covers, type DifferenceRow, readDifferences } from "./differences-page.ts";

const page = (...rows: string[]): string =>
  [
    "# X",
    "",
    "## Deliberate differences",
    "",
    "| Kind | Field | What | The document | Here | Why |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    "## Other",
    "| a |",
  ].join("\n");

test("rows are read from their section only", () => {
  const [row, ...more] = readDifferences(
    page("| `Model` | `spec.a` | `enum` | `a\\|b` | `a` | for `b` there is no engine |"),
  );
  assert.deepEqual([row?.kind, row?.path, row?.what, more], ["Model", "spec.a", "enum", []]);
  assert.deepEqual(readDifferences(page()), []);
  assert.deepEqual(readDifferences("## Deliberate differences\n\nNone."), []);
});

test("a row that cannot be understood is an error that shows the row", () => {
  assert.throws(() => readDifferences("# X"), /no section/);
  assert.throws(
    () => readDifferences(page("| `Model` | `spec.a` | `colour` | a | b | c |")),
    /"colour" is not one of .*spec\.a/,
  );
  assert.throws(() => readDifferences(page("| `Model` | `spec.a` | `enum` | a | b | |")), /every cell/);
  assert.throws(() => readDifferences(page("| `Model` | `spec.a` | `enum` | a | b |")), /every cell/);
  assert.throws(() => readDifferences("## Deliberate differences\n| Path | Why |\n|---|---|"), /columns Kind, Field/);
});

test("a row covers its own field, and with stars those that look like it", () => {
  const row = (kind: string, path: string): DifferenceRow => ({ kind, path, what: "required", line: "" });
  const at = (path: string): Difference => ({ kind: "Model", path, what: "required", wanted: "", found: "" });
  const table: [DifferenceRow, string, boolean][] = [
    [row("Model", "spec.a"), "spec.a", true],
    [row("*", "spec.a"), "spec.a", true],
    [row("Other", "spec.a"), "spec.a", false],
    [row("Model", "spec.a"), "spec.a.b", false],
    [row("Model", "spec.a"), "specxa", false],
    [row("Model", "spec.*"), "spec.a", true],
    [row("Model", "spec.*"), "spec.a.b", false],
    [row("Model", "**.b"), "spec.a[].b", true],
    [row("Model", "spec.list[]"), "spec.list[]", true],
    [row("Model", "spec.map{}.x"), "spec.map{}.x", true],
  ];
  for (const [each, path, expected] of table)
    assert.equal(covers(each, at(path)), expected, `${each.path} and ${path}`);
  assert.equal(covers({ ...row("Model", "spec.a"), what: "enum" }, at("spec.a")), false);
});
