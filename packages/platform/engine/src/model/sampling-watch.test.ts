import assert from "node:assert/strict";
import { it } from "node:test";
import { SamplingWatch, stallCounter } from "./sampling-watch.ts";

it("sees the work of the other thread, and that it is still the same", () => {
  const here = new SamplingWatch();
  const there = new SamplingWatch(here.memory);
  const seen = [here.underWay];
  for (const work of ["tokens", "grammar", "tokens", "tokens", "tokens", "grammar"] as const) {
    there.turn(work);
    seen.push(here.underWay);
  }
  assert.deepEqual(seen, [undefined, "1,0", "1,1", "0,1", "3,1", "0,1", undefined]);
});

it("counts the same work only", () => {
  const found = ["1,0", "1,0", "3,0", "3,0", undefined, "3,0", "3,0", "3,0", "3,0"];
  let at = 0;
  const isStalled = stallCounter(
    {
      get underWay() {
        return found[at++];
      },
    },
    3,
  );
  assert.deepEqual(
    found.map(() => isStalled()),
    [...Array(8).fill(false), true],
  );
});
