import assert from "node:assert/strict";
import { test } from "node:test";
import { Report } from "./apply/report.ts";
import type { Clock } from "./clock.ts";
import { noPace, restAfter } from "./pace.ts";

const pace = { afterPass: 100, afterCreating: 1_000 };
const running = new AbortController().signal;

function clockOf(delays: number[]): Clock {
  return {
    now: () => 0,
    elapsed: () => 0,
    schedule(delay, run) {
      delays.push(delay);
      queueMicrotask(run);
      return () => {};
    },
  };
}

test("an object rests after a pass, and longer after one that created children", async () => {
  const delays: number[] = [];
  const clock = clockOf(delays);
  const created = Object.assign(new Report(), { created: 2 });
  await Promise.all([...restAfter(new Report(), pace, clock, running), ...restAfter(created, pace, clock, running)]);
  assert.deepEqual(delays, [100, 1_000]);
  assert.deepEqual(restAfter(created, noPace, clock, running), []);
});
