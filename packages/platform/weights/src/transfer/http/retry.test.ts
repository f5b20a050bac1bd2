import assert from "node:assert/strict";
import { test } from "node:test";
import { backoff, parseRetryAfter } from "./retry.ts";

test("backoff doubles up to its ceiling and never goes below half", () => {
  const rule = { attempts: 8, firstDelayMs: 100, maxDelayMs: 1000 };
  assert.deepEqual(
    [1, 2, 3, 4, 5, 50].map((n) => backoff(rule, n, 1)),
    [100, 200, 400, 800, 1000, 1000],
  );
  assert.equal(backoff(rule, 1, 0), 50);
});

test("Retry-After is read in both forms, and nonsense is no wish", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:37 GMT");
  assert.equal(parseRetryAfter("7", now), 7000);
  assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:49:40 GMT", now), 3000);
  assert.equal(parseRetryAfter("Sun, 06 Nov 1994 08:49:00 GMT", now), 0);
  assert.equal(parseRetryAfter("99999999", now), 3_600_000);
  assert.equal(parseRetryAfter("soon", now), undefined);
  assert.equal(parseRetryAfter(undefined, now), undefined);
});
