import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock } from "../clock.ts";
import { settled, settleLimit } from "./settle.ts";

/** A clock that only tells which timers are set. */
function standingClock(): Clock & { readonly timers: Map<() => void, number> } {
  const timers = new Map<() => void, number>();
  return {
    timers,
    now: () => 0,
    elapsed: () => 0,
    schedule(delay, run) {
      timers.set(run, delay);
      return () => timers.delete(run);
    },
  };
}

const never = new Promise<void>(() => {});

test("nothing written, nothing to wait for", () => {
  assert.equal(settled([], standingClock(), new AbortController().signal), undefined);
});

test("what was seen, or a limit that is reached, ends the wait and leaves no timer", async () => {
  const clock = standingClock();
  await settled([Promise.resolve()], clock, new AbortController().signal);
  assert.equal(clock.timers.size, 0);
  const waiting = settled([never], clock, new AbortController().signal);
  const [[run, delay] = []] = clock.timers;
  assert.equal(delay, settleLimit);
  run?.();
  await waiting;
  assert.equal(clock.timers.size, 0);
});

test("who stops while a write was not seen yet does not wait for the limit", async () => {
  const clock = standingClock();
  const stopping = new AbortController();
  const waiting = settled([never], clock, stopping.signal);
  stopping.abort();
  await waiting;
  assert.equal(clock.timers.size, 0);
  assert.equal(settled([never], clock, stopping.signal), undefined);
});
