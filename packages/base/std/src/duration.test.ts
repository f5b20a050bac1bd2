import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatDuration, formatDurationNanos, parseDuration, parseDurationNanos } from "./duration.ts";

test("Go's grammar and Go's form", () => {
  const rows: readonly (readonly [string, number, string])[] = [
    ["0", 0, "0s"],
    ["1h", 3_600_000, "1h0m0s"],
    ["90m", 5_400_000, "1h30m0s"],
    ["1h30m10.5s", 5_410_500, "1h30m10.5s"],
    ["100ms", 100, "100ms"],
    ["1.5s", 1500, "1.5s"],
    ["-2m", -120_000, "-2m0s"],
    ["+5s", 5000, "5s"],
    [".5s", 500, "500ms"],
    ["1.s", 1000, "1s"],
    ["250us", 0.25, "250µs"],
    ["250µs", 0.25, "250µs"],
    ["3ns", 0.000003, "3ns"],
    ["1m1m", 120_000, "2m0s"],
    ["100h", 360_000_000, "100h0m0s"],
  ];
  for (const [text, millis, form] of rows) {
    assert.equal(parseDuration(text), millis, text);
    assert.equal(formatDuration(millis), form, text);
  }
});

test("what Go refuses is refused", () => {
  for (const text of ["", "+", "1", "s", ".s", "1d", "1h ", " 1h", "1hm", "-", "1e3s", "--1s", "3000000h", "1H"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

test("formatting and parsing are inverse to the nanosecond", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), (nanos) => {
      assert.equal(parseDurationNanos(formatDurationNanos(nanos)), nanos);
    }),
  );
});
