import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RangeSet } from "./parts/range-set.ts";
import { type Piece, Workload } from "./workload.ts";

const mebibyte = 1024 * 1024;

test("whatever fails, stops half way or is split, every byte is handed out and none twice at once", () => {
  const step = fc.record({ pick: fc.nat(10), share: fc.double({ min: 0, max: 1, noNaN: true }), fails: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 64 * mebibyte }), fc.array(step, { maxLength: 60 }), (total, steps) => {
      const workload = new Workload([{ start: 0, end: total }]);
      const got = new RangeSet();
      const running: Piece[] = [];
      const advance = (piece: Piece, share: number) => {
        const end = piece.position + Math.floor((piece.end - piece.position) * share);
        const before = got.size;
        got.add({ start: piece.position, end });
        assert.equal(got.size - before, end - piece.position, "bytes fetched twice");
        piece.position = end;
      };
      let now = 0;
      const take = () => {
        now += 1_000;
        return workload.take(now, 8 * mebibyte);
      };
      for (const { pick, share, fails } of steps) {
        const taken = take();
        if (taken !== undefined) running.push(taken);
        const piece = running[pick % Math.max(1, running.length)];
        if (piece === undefined) continue;
        advance(piece, fails ? share : 1);
        workload.giveBack(piece);
        running.splice(running.indexOf(piece), 1);
      }
      for (const piece of running) {
        advance(piece, 1);
        workload.giveBack(piece);
      }
      for (let piece = take(); piece !== undefined; piece = take()) {
        advance(piece, 1);
        workload.giveBack(piece);
      }
      assert.deepEqual(got.missing(total), []);
      assert.ok(workload.isDone);
    }),
    { numRuns: 200 },
  );
});

test("an idle connection takes half of what the slowest has left, and leaves small tails and quick ones alone", () => {
  const workload = new Workload([{ start: 0, end: 20 * mebibyte }]);
  const size = 10 * mebibyte;
  const [slow, quick] = [workload.take(0, size) as Piece, workload.take(0, size) as Piece];
  assert.equal(workload.take(1_000, size), undefined, "too early to judge");
  slow.position += 2 * mebibyte;
  quick.position += 9 * mebibyte;
  assert.deepEqual(workload.take(2_000, size), {
    start: 6 * mebibyte,
    position: 6 * mebibyte,
    end: 10 * mebibyte,
    takenAt: 2_000,
  });
  assert.equal(slow.end, 6 * mebibyte);
  slow.position = slow.end - mebibyte;
  assert.equal(workload.take(3_000, size), undefined, "one tail is small, the others will be done soon");
});
