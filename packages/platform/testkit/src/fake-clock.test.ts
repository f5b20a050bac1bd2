import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "./fake-clock.ts";

test("timers run in the order of their times, those they start too, and cancelled ones not at all", async () => {
  const clock = new FakeClock(0);
  const ran: string[] = [];
  const note = (what: string) => () => ran.push(`${what}@${clock.now()}`);
  clock.schedule(30, note("c"));
  clock.schedule(10, () => {
    note("a")();
    clock.schedule(5, note("b"));
  });
  clock.schedule(10, note("a2"));
  const cancel = clock.schedule(20, note("never"));
  cancel();
  clock.schedule(100, note("later"));
  await clock.advance(50);
  assert.deepEqual(ran, ["a@10", "a2@10", "b@15", "c@30"]);
  assert.deepEqual([clock.now(), clock.untilNext()], [50, 50]);
});
