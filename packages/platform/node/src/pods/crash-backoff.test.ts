import assert from "node:assert/strict";
import { test } from "node:test";
import { CrashBackoff } from "./crash-backoff.ts";

test("the first restart is at once, later ones wait twice as long each time up to a limit, and a long life forgives", () => {
  const backoff = new CrashBackoff({ first: 10, most: 50 });
  assert.deepEqual(
    [0, 0, 0, 0, 0].map(() => backoff.next(0, 1)),
    [0, 10, 20, 40, 50],
  );
  assert.deepEqual([backoff.next(0, 100), backoff.next(0, 1)], [0, 10]);
  const resumed = new CrashBackoff({ first: 10, most: 50 });
  resumed.resume(2);
  assert.equal(resumed.next(0, 1), 20);
});
