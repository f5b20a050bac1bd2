import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { parseSchedule } from "./schedule.ts";
import { formatIn, zoneOf } from "./time-zone.ts";

function times(text: string, from: string, count: number, zone?: string): string[] | string {
  const schedule = parseSchedule(text, zone);
  if (typeof schedule === "string") return schedule;
  const found: string[] = [];
  let at = Date.parse(from);
  for (let i = 0; i < count; i += 1) {
    const next = schedule.next(at);
    if (next === undefined) break;
    at = next;
    found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe("when a schedule is due", () => {
  const from = "2026-01-30T23:58:30Z"; // a Friday
  const cases: [string, string[]][] = [
    ["* * * * *", ["2026-01-30T23:59", "2026-01-31T00:00"]],
    ["*/20 3 * * *", ["2026-01-31T03:00", "2026-01-31T03:20", "2026-01-31T03:40", "2026-02-01T03:00"]],
    ["0 0 31 * *", ["2026-01-31T00:00", "2026-03-31T00:00"]],
    ["30 12 * * mon-fri", ["2026-02-02T12:30", "2026-02-03T12:30"]],
    ["0 0 1 * 0", ["2026-02-01T00:00", "2026-02-08T00:00"]],
    ["0 0 13 * 5", ["2026-02-06T00:00", "2026-02-13T00:00", "2026-02-20T00:00"]],
    [
      "0 0 */2 * 5",
      ["2026-01-31T00:00", "2026-02-01T00:00", "2026-02-03T00:00", "2026-02-05T00:00", "2026-02-06T00:00"],
    ],
    ["5/25 1 1 jan,JUL ?", ["2026-07-01T01:05", "2026-07-01T01:30", "2026-07-01T01:55", "2027-01-01T01:05"]],
    ["0 0 29 2 *", ["2028-02-29T00:00"]],
    ["@hourly", ["2026-01-31T00:00", "2026-01-31T01:00"]],
    ["@weekly", ["2026-02-01T00:00"]],
    ["@every 90m", ["2026-01-31T01:28", "2026-01-31T02:58"]],
    ["0 0 31 2 *", []],
  ];
  for (const [text, want] of cases)
    test(text, () => assert.deepEqual(times(text, from, Math.max(1, want.length)), want));
});

test("clocks that jump: an hour that is not there is skipped, one that comes twice counts twice", () => {
  const berlin = "Europe/Berlin";
  assert.deepEqual(times("30 2 * * *", "2026-03-28T12:00:00Z", 2, berlin), ["2026-03-30T00:30", "2026-03-31T00:30"]);
  assert.deepEqual(times("30 2 * * *", "2026-10-24T12:00:00Z", 3, berlin), [
    "2026-10-25T00:30",
    "2026-10-25T01:30",
    "2026-10-26T01:30",
  ]);
  assert.deepEqual(times("0 9 * * *", "2026-03-28T12:00:00Z", 1, berlin), ["2026-03-29T07:00"]);
  assert.equal(
    formatIn(zoneOf("Asia/Kolkata") ?? (() => 0), Date.parse("2026-01-01T00:00:00Z")),
    "2026-01-01T05:30:00+05:30",
  );
});

describe("what cannot be read", () => {
  for (const text of [
    "",
    "* * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "5-1 * * * *",
    "*/0 * * * *",
    "a * * * *",
    "@never",
    "@every soon",
  ]) {
    test(`"${text}"`, () => assert.equal(typeof parseSchedule(text, undefined), "string"));
  }
  test("a zone that is not there", () => assert.equal(typeof parseSchedule("* * * * *", "Mars/Olympus"), "string"));
});

test("the next time is later, and nothing lies between", () => {
  const field = (first: number, last: number) =>
    fc.oneof(fc.constant("*"), fc.integer({ min: first, max: last }).map(String));
  const texts = fc.tuple(field(0, 59), field(0, 23)).map(([minutes, hours]) => `${minutes} ${hours} * * *`);
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 4e12 }), (text, from) => {
      const schedule = parseSchedule(text, undefined);
      if (typeof schedule === "string") return false;
      const next = schedule.next(from) ?? 0;
      return next > from && next - from <= 86_400_000 + 60_000 && schedule.next(next - 1) === next;
    }),
  );
});
