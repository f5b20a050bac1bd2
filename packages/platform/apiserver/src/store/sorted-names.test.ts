import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { insertName, lowerBound, removeName, upperBound } from "./sorted-names.ts";

test("names stay sorted and distinct whatever is inserted and removed", () => {
  const step = fc.record({
    add: fc.boolean(),
    name: fc.string({ maxLength: 2, unit: fc.constantFrom("a", "b", "-", ".") }),
  });
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const names: string[] = [];
      const model = new Set<string>();
      for (const { add, name } of steps) {
        if (add) {
          insertName(names, name);
          model.add(name);
        } else {
          removeName(names, name);
          model.delete(name);
        }
      }
      assert.deepEqual(names, [...model].sort());
    }),
  );
});

test("bounds point at the first name not before, and the first name behind", () => {
  const names = ["a", "c", "e"];
  assert.deepEqual(
    ["", "a", "b", "e", "f"].map((name) => [lowerBound(names, name), upperBound(names, name)]),
    [
      [0, 0],
      [0, 1],
      [1, 1],
      [2, 3],
      [3, 3],
    ],
  );
});
