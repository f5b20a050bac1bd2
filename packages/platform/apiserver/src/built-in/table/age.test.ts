import assert from "node:assert/strict";
import { test } from "node:test";
import { ageOf, formatAge } from "./age.ts";

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

test("ages lose precision as they grow", () => {
  const ages: readonly [number, string][] = [
    [-5, "<invalid>"],
    [-1, "0s"],
    [0, "0s"],
    [119, "119s"],
    [120, "2m"],
    [121, "2m1s"],
    [10 * minute - 1, "9m59s"],
    [10 * minute, "10m"],
    [3 * hour - 1, "179m"],
    [3 * hour, "3h"],
    [3 * hour + 5 * minute, "3h5m"],
    [8 * hour, "8h"],
    [2 * day - 1, "47h"],
    [2 * day, "2d"],
    [3 * day + 4 * hour, "3d4h"],
    [8 * day + hour, "8d"],
    [2 * year - 1, "729d"],
    [2 * year + 30 * day, "2y30d"],
    [9 * year, "9y"],
  ];
  for (const [seconds, text] of ages) assert.equal(formatAge(seconds * 1000), text, `${seconds} s`);
});

test("an age needs a time to count from", () => {
  assert.equal(ageOf(undefined, 0), "<unknown>");
  assert.equal(ageOf("yesterday", 0), "<unknown>");
  assert.equal(ageOf("1970-01-01T00:00:00Z", 90_000), "90s");
});
