import assert from "node:assert/strict";
import { test } from "node:test";
import { type Case, violationsOf } from "@trivium/testkit";
import { type Observed, type Sample, sample, sampleReconciler } from "./sample.ts";

const known: Observed = { colour: { is: "known", value: "red" }, price: { is: "known", value: 3 }, guards: [] };
const object: Sample = sample("a");
const deleted: Sample = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
const words = {
  conditions: { Ready: ["Bound", "Refused", "NoPalette", "Waiting", "NoPrice", "Guarded"] },
  notes: ["Bound", "NoPalette", "Waiting", "NoPrice", "Guarded"],
};

const cases: Case<Sample, Observed>[] = [
  { name: "all is known", object, observed: known, now: 0 },
  { name: "no palette", object, observed: { ...known, colour: { is: "absent" }, price: { is: "absent" } }, now: 0 },
  { name: "the market is down", object, observed: { ...known, price: { is: "unreachable", why: "no route" } }, now: 0 },
  { name: "deleted", object: deleted, observed: known, now: 0 },
];

test("the example keeps the laws", () => {
  assert.deepEqual(violationsOf(sampleReconciler, cases, words), []);
});

test("the laws find what is wrong with it: the guards of a deletion are named in the order they were found", () => {
  const guarded: Case<Sample, Observed> = {
    name: "guarded",
    object: deleted,
    observed: { ...known, guards: ["a", "b"] },
    now: 0,
  };
  const laws = new Set(violationsOf(sampleReconciler, [guarded], words).map(({ law }) => law));
  assert.deepEqual([...laws], ["order"]);
});
