import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compareSize, parseModelSize } from "./model-size.ts";
import { takesVersion, type VersionOperator } from "./version.ts";

type Row = readonly [runtime: string, operator: VersionOperator | undefined, model: string, takes: boolean];
const rows: readonly Row[] = [
  ["1.8.0", "GreaterThan", "1.7.0", true],
  ["1.8.0", "GreaterThan", "1.8.0", false],
  ["1.8.0", "GreaterThanOrEqual", "1.8.0", true],
  ["4.51.0", "GreaterThanOrEqual", "4.40.2", true],
  ["4.51.0", "GreaterThanOrEqual", "4.51.1", false],
  ["1.8.0-dev", "GreaterThan", "1.8.0-dev", true],
  ["1.8.0-dev", "GreaterThan", "1.7.0", false],
  ["1.8.0", "GreaterThan", "1.7.0-rc1", false],
  ["4.51.0.dev0", undefined, "4.51.0.dev0", true],
  ["4.51.0.dev0", undefined, "4.51.0", false],
  ["1.0", "GreaterThan", "1.0.0", false],
  ["2.0", "GreaterThan", "1.0.0", false],
  ["v1.0.0", "GreaterThanOrEqual", "1.0.0", false],
  ["v2.0.0", "GreaterThan", "v1.0.0", true],
  ["1.0", undefined, "1.0.0", true],
  ["v1", undefined, "1", true],
  ["1", "Equal", "1.0.1", false],
  ["1.8.0", undefined, "1.7.0", false],
  ["01.0", undefined, "1.0", false],
  ["1.x", undefined, "1.x", false],
  ["", undefined, "", false],
  ["1.0.0+", undefined, "1.0.0+", false],
  ["1.0.0.foo", undefined, "1.0.0.foo", false],
  ["1-rc", undefined, "1-rc", false],
  ["9999999999999999999", undefined, "9999999999999999999", false],
];

test("a runtime's version takes a model's, by its operator", () => {
  for (const [runtime, operator, model, takes] of rows)
    assert.equal(takesVersion(runtime, model, operator), takes, `${runtime} ${operator ?? ""} ${model}`);
});

test("no text is too odd for a version or a size", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 }), (a, b) => {
      assert.equal(typeof takesVersion(a, b, "GreaterThan"), "boolean");
      const size = parseModelSize(a);
      assert.ok(size === undefined || (Number.isFinite(size) && size >= 0));
    }),
  );
});

test("sizes", () => {
  const sizes: readonly (readonly [string, number | undefined])[] = [
    ["1T", 1e12],
    ["7B", 7e9],
    ["350M", 3.5e8],
    ["1.5B", 1.5e9],
    ["1000", 1000],
    ["500K", 5e5],
    ["7b", 7e9],
    ["B", undefined],
    ["-7B", undefined],
    ["7 GB", undefined],
    ["1e9", undefined],
  ];
  for (const [text, count] of sizes) assert.equal(parseModelSize(text), count, text);
});

test("sizes in ranges: both ends belong to it, an end left out is open", () => {
  const is = (size: string | undefined, min?: string, max?: string) => compareSize(size, { min, max }).is;
  assert.equal(is("1B", "1B", "7B"), "fits");
  assert.equal(is("7B", "1B", "7B"), "fits");
  assert.equal(is("7.1B", "1B", "7B"), "outside");
  assert.equal(is("0.9B", "1B", "7B"), "outside");
  assert.equal(is("400B", "1B"), "fits");
  assert.equal(is("1M", undefined, "1B"), "fits");
  assert.equal(is("2B", undefined, "1B"), "outside");
  assert.equal(is(undefined, "1B", "7B"), "open");
  assert.equal(is("huge", "1B", "7B"), "unreadable");
  assert.equal(is("2B", "1B", "many"), "unreadable");
  assert.equal(compareSize("7B", undefined).is, "open");
});
