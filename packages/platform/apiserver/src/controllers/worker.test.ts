import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyQueue } from "./worker.ts";

test("a key waits once, is worked on alone, and is looked at again when it comes meanwhile", async () => {
  const observed: string[] = [];
  let active = 0;
  const queue = new KeyQueue(
    async (key) => {
      assert.equal(++active, 1);
      observed.push(key);
      if (observed.length === 1) queue.add("a");
      await new Promise(setImmediate);
      active--;
    },
    (_key, error) => assert.fail(String(error)),
  );
  for (const key of ["a", "b", "a", "a"]) queue.add(key);
  await queue.idle();
  assert.deepEqual(observed, ["a", "b", "a"]);
  assert.equal(queue.isBusy, false);
});

test("what fails is told, is tried again later, and holds nobody up", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const reported: string[] = [];
  let attempts = 0;
  const done: string[] = [];
  const queue = new KeyQueue(
    (key) => {
      if (key === "bad" && ++attempts < 2) throw new Error("not yet");
      done.push(key);
    },
    (key) => reported.push(key),
  );
  queue.add("bad");
  queue.add("good");
  await queue.idle();
  assert.deepEqual([reported, done], [["bad"], ["good"]]);
  context.mock.timers.tick(1000);
  await queue.idle();
  assert.deepEqual(done, ["good", "bad"]);
});

test("after a stop nothing is begun", async () => {
  const done: string[] = [];
  const queue = new KeyQueue(
    (key) => void done.push(key),
    () => undefined,
  );
  queue.add("a");
  queue.stop();
  queue.add("b");
  await queue.idle();
  assert.deepEqual(done, []);
});
