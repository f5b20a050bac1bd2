import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RangeSet } from "./range-set.ts";

const ranges = fc.array(fc.tuple(fc.nat(60), fc.nat(20)).map(([start, length]) => ({ start, end: start + length })));

test("a range set knows the same bytes as a plain set of numbers, in any order of arrival", () => {
  fc.assert(
    fc.property(ranges, (given) => {
      const plain = new Set(
        given.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
      );
      const set = RangeSet.of(given);
      assert.equal(set.size, plain.size);
      const gaps = set
        .missing(100)
        .flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
      assert.deepEqual(
        gaps,
        Array.from({ length: 100 }, (_, i) => i).filter((i) => !plain.has(i)),
      );
      let frontier = 0;
      while (plain.has(frontier)) frontier++;
      assert.equal(set.frontier, frontier);
      for (const [i, range] of set.ranges.entries()) {
        const next = set.ranges[i + 1];
        assert.ok(range.start < range.end && (next === undefined || range.end < next.start));
      }
    }),
  );
});

test("missing stops at the total even when more is there", () => {
  assert.deepEqual(RangeSet.of([{ start: 5, end: 50 }]).missing(10), [{ start: 0, end: 5 }]);
  assert.deepEqual(RangeSet.of([{ start: 0, end: 50 }]).missing(10), []);
});
