import assert from "node:assert/strict";
import { test } from "node:test";
import { SmallSets } from "./small-sets.ts";

test("a set grows from one element to several and back, and ends with its last", () => {
  const sets = new SmallSets();
  const elements = (): string[] => [...sets.of("a")];
  assert.deepEqual([sets.has("a"), elements()], [false, []]);
  sets.add("a", "x");
  sets.add("a", "x");
  assert.deepEqual(elements(), ["x"]);
  sets.add("a", "y");
  sets.add("b", "x");
  assert.deepEqual(elements(), ["x", "y"]);
  sets.remove("a", "x");
  sets.remove("a", "unknown");
  assert.deepEqual(elements(), ["y"]);
  sets.remove("a", "y");
  assert.deepEqual([sets.has("a"), elements(), sets.has("b")], [false, [], true]);
});
