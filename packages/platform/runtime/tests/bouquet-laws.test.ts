import assert from "node:assert/strict";
import { test } from "node:test";
import { type Case, violationsOf } from "@trivium/testkit";
import { type Bouquet, bouquet, bouquetReconciler, type Seen } from "./bouquet.ts";

const known: Seen = { colour: { is: "known", value: "red" }, price: { is: "known", value: 3 }, guards: [] };
const object: Bouquet = bouquet("a");
const deleted: Bouquet = { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
const words = {
  conditions: { Ready: ["Bound", "Refused", "NoPalette", "Waiting", "NoPrice", "Guarded"] },
  notes: ["Bound", "NoPalette", "Waiting", "NoPrice", "Guarded"],
};

const cases: Case<Bouquet, Seen>[] = [
  { name: "all is known", object, seen: known, now: 0 },
  { name: "no palette", object, seen: { ...known, colour: { is: "absent" }, price: { is: "absent" } }, now: 0 },
  { name: "the market is down", object, seen: { ...known, price: { is: "unreachable", why: "no route" } }, now: 0 },
  { name: "deleted", object: deleted, seen: known, now: 0 },
];

test("the example keeps the laws", () => {
  assert.deepEqual(violationsOf(bouquetReconciler, cases, words), []);
});

test("the laws find what is wrong with it: the guards of a deletion are named in the order they were found", () => {
  const guarded: Case<Bouquet, Seen> = {
    name: "guarded",
    object: deleted,
    seen: { ...known, guards: ["a", "b"] },
    now: 0,
  };
  const laws = new Set(violationsOf(bouquetReconciler, [guarded], words).map(({ law }) => law));
  assert.deepEqual([...laws], ["order"]);
});
