import assert from "node:assert/strict";
import { test } from "node:test";
import { Concurrency } from "./concurrency.ts";

/** Plays a link whose rate depends on the number of connections. */
function play(link: (connections: number) => number, windows: number): Concurrency {
  const concurrency = new Concurrency({ start: 1, max: 16, windowMs: 100 }, 0);
  for (let i = 1; i <= windows; i++) {
    concurrency.received(link(concurrency.target) * 100);
    concurrency.tick(i * 100);
  }
  return concurrency;
}

test("with a limit per connection it climbs to the most", () => {
  assert.equal(play((n) => n * 1000, 8).target, 16);
});

test("where one connection fills the link it stays low", () => {
  assert.ok(play(() => 1000, 200).target <= 2);
});

test("it settles where more brings no more", () => {
  const settled = play((n) => Math.min(n, 6) * 1000, 200).target;
  assert.ok(settled >= 6 && settled <= 8, `${settled}`);
});

test("a server that refuses halves it, down to one, and it climbs again only after a rest", () => {
  const concurrency = play((n) => n * 1000, 20);
  concurrency.overloaded();
  assert.equal(concurrency.target, 8);
  for (let i = 0; i < 9; i++) concurrency.overloaded();
  assert.equal(concurrency.target, 1);
  concurrency.received(1000);
  concurrency.tick(10_000);
  assert.equal(concurrency.target, 1);
});

test("a silent window is not evidence", () => {
  const concurrency = new Concurrency({ start: 3, max: 16, windowMs: 100 }, 0);
  concurrency.tick(100);
  assert.equal(concurrency.target, 3);
});
