import assert from "node:assert/strict";
import { test } from "node:test";
import { Turns } from "../../turns.ts";
import { LineQueue } from "./line-queue.ts";

async function readAll(queue: LineQueue): Promise<string> {
  let text = "";
  for await (const piece of queue) text += piece;
  return text;
}

test("lines come out in order, joined into fewer pieces", async () => {
  const queue = new LineQueue(new Turns());
  for (let index = 0; index < 5000; index++) queue.push(`${index}\n`);
  const reader = queue[Symbol.asyncIterator]();
  const first = await reader.next();
  assert.ok(String(first.value).startsWith("0\n1\n2\n"));
  queue.push("last\n");
  queue.end();
  let rest = "";
  for (let piece = await reader.next(); piece.done !== true; piece = await reader.next()) rest += piece.value;
  const lines = (first.value + rest).trimEnd().split("\n");
  assert.equal(lines.length, 5001);
  assert.equal(lines.at(-1), "last");
});

test("a reader that waits is woken by a line and by the end", async () => {
  const queue = new LineQueue(new Turns());
  const read = readAll(queue);
  await Promise.resolve();
  queue.push("a\n");
  await new Promise(setImmediate);
  queue.push("b\n");
  queue.end();
  assert.equal(await read, "a\nb\n");
});

test("too much waiting ends the stream after what is queued, and takes no more", async () => {
  const queue = new LineQueue(new Turns());
  const line = `${"x".repeat(1024 * 1024 - 1)}\n`;
  let ended = 0;
  queue.onEnd(() => ended++);
  for (let index = 0; index < 40; index++) queue.push(line);
  assert.equal(ended, 1);
  assert.equal((await readAll(queue)).length, 17 * 1024 * 1024);
});

test("the state at the start of a watch does not count as falling behind", () => {
  const queue = new LineQueue(new Turns());
  const line = "x".repeat(1024 * 1024);
  for (let index = 0; index < 40; index++) queue.push(line, true);
  assert.equal(queue.isEnded, false);
});

test("a reader that leaves ends the stream and frees what waits", async () => {
  const queue = new LineQueue(new Turns());
  let ended = 0;
  queue.onEnd(() => ended++);
  queue.push("a\n");
  for await (const _ of queue) break;
  assert.equal(ended, 1);
  queue.onEnd(() => ended++);
  assert.equal(ended, 2, "who asks after the end is told at once");
  assert.equal(await readAll(queue), "");
});

test("readers of a large line each get it in a turn of their own", async () => {
  const turns = new Turns();
  const queues = Array.from({ length: 3 }, () => new LineQueue(turns));
  let rounds = 0;
  const read = queues.map(async (queue) => {
    await queue[Symbol.asyncIterator]().next();
    return rounds;
  });
  for (const queue of queues) queue.push(`${"x".repeat(1024 * 1024)}\n`);
  for (; rounds < 10; rounds += 1) await new Promise(setImmediate);
  const seen = await Promise.all(read);
  assert.equal(new Set(seen).size, queues.length, `all in round ${seen.join(", ")}`);
});
