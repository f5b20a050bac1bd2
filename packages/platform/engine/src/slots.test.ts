import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Gone, QueueFull, SlotPool } from "./slots.ts";

const task = (pool: SlotPool) => pool.task({ params: {}, prompt: [1], limit: 1 });
const stay = new AbortController().signal;

describe("slots", () => {
  it("are given in the order of arrival", async () => {
    const pool = new SlotPool(1, 10);
    const held = await pool.take(task(pool), stay);
    const order: number[] = [];
    const all = [1, 2, 3].map(async (number) => {
      const slot = await pool.take(task(pool), stay);
      order.push(number);
      pool.giveBack(slot);
    });
    assert.deepEqual([pool.busy, pool.queued], [1, 3]);
    pool.giveBack(held);
    await Promise.all(all);
    assert.deepEqual(order, [1, 2, 3]);
    assert.deepEqual([pool.busy, pool.queued], [0, 0]);
  });

  it("are not promised to more than may wait", async () => {
    const pool = new SlotPool(1, 1);
    await pool.take(task(pool), stay);
    const waiting = pool.take(task(pool), stay);
    await assert.rejects(pool.take(task(pool), stay), QueueFull);
    pool.giveBack(pool.slots[0]!);
    assert.equal((await waiting).id, 0);
  });

  it("pass by those who have gone", async () => {
    const pool = new SlotPool(1, 5);
    const held = await pool.take(task(pool), stay);
    const gone = new AbortController();
    const left = pool.take(task(pool), gone.signal);
    const next = pool.take(task(pool), stay);
    gone.abort();
    await assert.rejects(left, Gone);
    await assert.rejects(pool.take(task(pool), gone.signal), Gone);
    const idle = pool.idle();
    pool.giveBack(held);
    pool.giveBack(await next);
    await idle;
  });
});
