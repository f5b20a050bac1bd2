import assert from "node:assert/strict";
import { test } from "node:test";
import { continuationOf } from "./text-guesser.ts";

test("a text that ends as it did before goes on as it did then", () => {
  const text = [9, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4];
  assert.deepEqual(continuationOf(text, 16), [5, 6, 7, 8]);
  assert.deepEqual(continuationOf(text, 2), [5, 6]);
});

test("the last time counts", () => {
  const text = [1, 2, 3, 4, 50, 0, 1, 2, 3, 4, 60, 0, 1, 2, 3, 4];
  assert.deepEqual(continuationOf(text, 1), [60]);
});

test("a long match is worth a long guess, a short one is none", () => {
  const line = Array.from({ length: 40 }, (_, at) => at);
  assert.equal(continuationOf([...line, 99, ...line.slice(0, 20)], 100).length, 16);
  assert.deepEqual(continuationOf([1, 2, 3, 4, 0, 2, 3, 4], 16), []);
  for (const short of [[], [1], [1, 1, 1]]) assert.deepEqual(continuationOf(short, 16), []);
});

test("a text that repeats itself goes on repeating", () => {
  assert.deepEqual(continuationOf([7, 7, 7, 7, 7, 7], 16), [7]);
});
