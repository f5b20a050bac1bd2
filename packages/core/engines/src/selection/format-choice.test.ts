import assert from "node:assert/strict";
import { test } from "node:test";
import type { ChoiceCandidate } from "@trivium/domain";
import { canonicalJson } from "@trivium/std";
import { formatChoice } from "./format-choice.ts";

const failed = { gate: "size", reason: "SizeOutOfRange", actual: "7B - 9B", required: "70B" };
const rejected = (name: string, count = 1): ChoiceCandidate => ({
  name,
  is: "rejected",
  failed: Array.from({ length: count }, () => failed),
});

test("a choice is JSON with the chosen candidate first and the nearest next", () => {
  const candidates = [rejected("far", 2), rejected("near"), { name: "best", is: "chosen", failed: [] } as const];
  const text = formatChoice({ of: "runtime", chosen: "best", because: "the only compatible of 3", candidates });
  const found = JSON.parse(text);
  assert.deepEqual(
    found.candidates.map(({ name }: { name: string }) => name),
    ["best", "near", "far"],
  );
  assert.deepEqual(found.candidates[1].failed, [failed]);
  assert.equal(found.omitted, undefined);
});

test("a list without end is cut, and says how many are left out", () => {
  const candidates = Array.from({ length: 200 }, (_, at) => rejected(`runtime-${at}`, 1 + (at % 3)));
  const text = formatChoice({ of: "runtime", because: "none of 200 is compatible", candidates });
  const found = JSON.parse(text);
  assert.equal(found.candidates.length, 30);
  assert.equal(found.omitted, 170);
  assert.ok(found.candidates.every((one: ChoiceCandidate) => one.failed.length === 1));
  assert.ok(text.length < 16_384);
});

test("keys are in the order of the alphabet, so that equal choices have equal texts", () => {
  const candidates: ChoiceCandidate[] = [
    { scope: "cluster", name: "best", is: "chosen", failed: [] },
    { name: "next", is: "outranked", failed: [], lost: { rank: "score", best: "10", actual: "2" } },
    { ...rejected("near", 2), change: "set spec.size", scope: "namespace" },
  ];
  const choice = { of: "runtime", chosen: "best", because: "the best of 2 compatible", candidates };
  assert.equal(formatChoice(choice), canonicalJson(choice));
});
