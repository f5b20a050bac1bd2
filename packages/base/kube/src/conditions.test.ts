import assert from "node:assert/strict";
import { test } from "node:test";
import { findCondition, isConditionTrue, mergeConditions } from "./conditions.ts";
import type { Condition } from "./object.ts";

const then = "2026-01-01T00:00:00Z";
const now = Date.parse("2026-01-02T03:04:05Z");
const old: Condition[] = [
  { type: "Ready", status: "True", reason: "Up", message: "", lastTransitionTime: then },
  { type: "Gone", status: "True", reason: "Up", message: "", lastTransitionTime: then },
];

test("the time of a condition moves only with its status", () => {
  const merged = mergeConditions(
    old,
    [
      { type: "New", status: "Unknown", reason: "New", message: "" },
      { type: "Ready", status: "True", reason: "Changed", message: "other words", observedGeneration: 2 },
    ],
    now,
  );
  assert.deepEqual(merged, [
    { type: "New", status: "Unknown", reason: "New", message: "", lastTransitionTime: "2026-01-02T03:04:05Z" },
    {
      type: "Ready",
      status: "True",
      reason: "Changed",
      message: "other words",
      observedGeneration: 2,
      lastTransitionTime: then,
    },
  ]);
  const [flipped] = mergeConditions(old, [{ type: "Ready", status: "False", reason: "Down", message: "" }], now);
  assert.equal(flipped?.lastTransitionTime, "2026-01-02T03:04:05Z");
});

test("conditions are found by type", () => {
  assert.equal(findCondition(old, "Ready"), old[0]);
  assert.equal(findCondition(undefined, "Ready"), undefined);
  assert.equal(isConditionTrue(old, "Ready"), true);
  assert.equal(isConditionTrue(old, "Missing"), false);
});
