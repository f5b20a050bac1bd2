import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "@trivium/testkit";
import { ProcessEnding } from "./process-ending.ts";

function endingOf(hookTakes?: number) {
  const clock = new FakeClock(0);
  const observed: string[] = [];
  const note = (what: string) => () => void observed.push(`${what} at ${clock.now()}`);
  const hook = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      let isOver = false;
      const end = (what: string) => () => {
        if (isOver) return;
        isOver = true;
        note(what)();
        cancel();
        resolve();
      };
      const cancel = clock.schedule(hookTakes ?? 0, end("hook done"));
      signal.addEventListener("abort", end("hook cut"), { once: true });
    });
  const ending = new ProcessEnding({
    clock,
    hook: hookTakes === undefined ? undefined : hook,
    ask: note("asked"),
    kill: note("killed"),
  });
  return { clock, ending, observed };
}

test("without a hook a process is asked at once, and killed when its time is over", async () => {
  const { clock, ending, observed } = endingOf();
  ending.within(5_000);
  await clock.advance(10_000);
  assert.deepEqual(observed, ["asked at 0", "killed at 5000"]);
});

test("a hook uses up the time, but leaves the process its least", async () => {
  const quick = endingOf(1_000);
  quick.ending.within(5_000);
  await quick.clock.advance(10_000);
  assert.deepEqual(quick.observed, ["hook done at 1000", "asked at 1000", "killed at 5000"]);
  const slow = endingOf(60_000);
  slow.ending.within(5_000);
  await slow.clock.advance(10_000);
  assert.deepEqual(slow.observed, ["hook cut at 5000", "asked at 5000", "killed at 7000"]);
});

test("the sooner end wins, and no time at all means at once", async () => {
  const { clock, ending, observed } = endingOf();
  ending.within(30_000);
  await clock.advance(1_000);
  ending.within(60_000);
  ending.within(2_000);
  await clock.advance(1_500);
  assert.deepEqual(observed, ["asked at 0"]);
  ending.within(0);
  await clock.advance(60_000);
  assert.deepEqual(observed, ["asked at 0", "killed at 2500"]);
});

test("a process that has ended is left alone", async () => {
  const { clock, ending, observed } = endingOf(1_000);
  ending.within(5_000);
  ending.cancel();
  await clock.advance(60_000);
  assert.deepEqual(observed, ["hook cut at 0"]);
});
