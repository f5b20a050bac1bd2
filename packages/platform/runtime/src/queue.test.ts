import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock, turns } from "@trivium/testkit";
import fc from "fast-check";
import { type Outcome, Queue } from "./queue.ts";

function rig(options: { concurrency?: number; run?: (key: string) => Promise<Outcome> } = {}) {
  const clock = new FakeClock(0);
  const ran: string[] = [];
  const queue = new Queue({
    clock,
    random: () => 0.5,
    concurrency: options.concurrency ?? 2,
    async run(key) {
      ran.push(`${key}@${clock.now()}`);
      return options.run?.(key) ?? {};
    },
  });
  queue.start();
  return { clock, queue, ran };
}

test("many wishes for a key are one run; a wish during the run is one more", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { queue, ran } = rig({ run: () => gate.then(() => ({})) });
  for (let i = 0; i < 5; i += 1) queue.add("a");
  await turns();
  assert.deepEqual(ran, ["a@0"]);
  for (let i = 0; i < 5; i += 1) queue.add("a");
  release();
  await queue.whenIdle();
  assert.deepEqual(ran, ["a@0", "a@0"]);
});

test("the earlier of two wishes wins", async () => {
  const { clock, queue, ran } = rig();
  queue.addAfter("a", 500);
  queue.addAfter("a", 100);
  queue.addAfter("a", 900);
  await clock.advance(2_000);
  assert.deepEqual(ran, ["a@100"]);
  queue.addAfter("a", 500);
  queue.add("a");
  await clock.advance(2_000);
  assert.deepEqual(ran, ["a@100", "a@2000"]);
});

test("a key that settles leaves its place to others and runs again only when settled", async () => {
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const { queue, ran } = rig({ concurrency: 1, run: async (key) => (key === "a" ? { settled } : {}) });
  queue.add("a");
  await turns();
  queue.add("a");
  queue.add("b");
  await turns();
  assert.deepEqual(ran, ["a@0", "b@0"]);
  settle();
  await turns();
  assert.deepEqual(ran, ["a@0", "b@0", "a@0"]);
});

test("failures in a row wait longer and longer, a success starts anew", () => {
  const { queue } = rig();
  const delays = Array.from({ length: 14 }, () => queue.addAfterFailure("a"));
  assert.deepEqual(delays.slice(0, 4), [250, 500, 1_000, 2_000]);
  assert.equal(delays.at(-1), 300_000);
  queue.succeed("a");
  assert.equal(queue.addAfterFailure("a"), 250);
});

test("stop waits for what runs and forgets the rest", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { clock, queue, ran } = rig({ concurrency: 1, run: () => gate.then(() => ({})) });
  queue.add("a");
  queue.add("b");
  queue.addAfter("c", 100);
  await turns();
  let isStopped = false;
  const stopped = queue.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(1_000);
  assert.equal(isStopped, false);
  release();
  await stopped;
  await clock.advance(1_000);
  assert.deepEqual(ran, ["a@0"]);
});

test("no key is ever twice in flight, no more than allowed at a time, and every wish is followed by a run", async () => {
  const step = fc.record({ key: fc.constantFrom("a", "b", "c", "d"), delay: fc.nat(50), pause: fc.nat(3) });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = new FakeClock(0);
      const running = new Set<string>();
      const owed = new Map<string, number>();
      const queue = new Queue({
        clock,
        random: () => 0.5,
        concurrency: 2,
        async run(key) {
          assert.ok(!running.has(key) && running.size < 2);
          running.add(key);
          owed.delete(key);
          await turns(2);
          running.delete(key);
          return { settled: turns(1) };
        },
      });
      queue.start();
      for (const { key, delay, pause } of steps) {
        owed.set(key, clock.now() + delay);
        queue.addAfter(key, delay);
        await turns(pause);
      }
      await clock.advance(1_000);
      await queue.whenIdle();
      assert.deepEqual([...owed], []);
    }),
    { numRuns: 50 },
  );
});
