import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@trivium/testkit";
import { takeOrFollow } from "../src/store/follow.ts";
import { Lease, readLease } from "../src/store/lease.ts";
import { folder } from "./stage.ts";

const rule = { beatMs: 20, expireMs: 150 };
const signal = new AbortController().signal;

test("only one of many takes a lease, again and again", async (t) => {
  const dir = await folder(t);
  for (let round = 0; round < 10; round++) {
    const taken = (await Promise.all(Array.from({ length: 12 }, () => Lease.tryTake(dir, "m", rule)))).filter(
      (each) => each !== undefined,
    );
    assert.equal(taken.length, 1, `round ${round}`);
    await taken[0]?.release();
  }
  assert.equal((await readdir(dir)).length, 1, "old generations are swept");
});

test("a holder that beats keeps it, however long it takes", async (t) => {
  const dir = await folder(t);
  const lease = await Lease.tryTake(dir, "m", rule);
  const impatientSignal = AbortSignal.timeout(500);
  await assert.rejects(takeOrFollow(dir, "m", { rule, signal: impatientSignal, onNote: () => {} }), {
    kind: "stopped",
  });
  await lease?.release();
});

test("a silent holder of another machine loses it to exactly one, and learns of it", async (t) => {
  const dir = await folder(t);
  const state = { beat: "x-1", isReleased: false, realm: "another machine", pid: 1, note: { bytes: 1 } };
  await writeFile(join(dir, "m.7"), JSON.stringify(state));
  const notes: unknown[] = [];
  const follow = () =>
    takeOrFollow(dir, "m", {
      rule,
      signal: AbortSignal.any([signal, stop.signal]),
      onNote: (note) => notes.push(note),
    });
  const stop = new AbortController();
  const races = [follow(), follow(), follow()];
  const winner = await Promise.race(races);
  assert.deepEqual(notes[0], { bytes: 1 });
  assert.equal((await readLease(dir, "m"))?.generation, 8);
  stop.abort();
  assert.equal((await Promise.allSettled(races)).filter(({ status }) => status === "fulfilled").length, 1);
  // Somebody takes us for dead.
  await writeFile(join(dir, "m.9"), JSON.stringify({ ...state, beat: "y-1" }));
  await until(() => winner.signal.aborted);
  await winner.release();
  assert.equal((await readLease(dir, "m"))?.isReleased, false, "the loser must not release what is not its own");
});
