import assert from "node:assert/strict";
import { test } from "node:test";
import { LeapingClock } from "./leaping-clock.ts";

test("what was due in the hours that are leapt over happens at once, and nothing else", async () => {
  const clock = new LeapingClock();
  const ran: string[] = [];
  const began = clock.now();
  const done = Promise.withResolvers<void>();
  clock.schedule(3_600_000, () => {
    ran.push("within the hour");
    done.resolve();
  });
  clock.schedule(1_800_000, () => ran.push("cancelled"))();
  const later = clock.schedule(7_300_000, () => ran.push("later"));
  clock.leap(3_700_000);
  await done.promise;
  later();
  assert.deepEqual(ran, ["within the hour"]);
  assert.ok(clock.now() - began >= 3_700_000);
});
