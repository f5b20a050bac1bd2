import assert from "node:assert/strict";
import { test } from "node:test";
import { Retention } from "./retention.ts";

const limits = { keepMillis: 1600, maxEvents: 100 };

test("nothing younger than the limit expires", () => {
  const retention = new Retention(limits);
  retention.note(0, 10, 0);
  retention.note(100, 20, 0);
  assert.equal(retention.nextIn(0), 1600);
  assert.equal(retention.expired(1599, 20), undefined);
  assert.equal(retention.expired(1600, 20), 10);
  assert.equal(retention.nextIn(1600), 100);
  assert.equal(retention.expired(1700, 20), 20);
  assert.equal(retention.nextIn(1700), undefined);
});

test("what came after the last milestone expires too when the store falls idle", () => {
  const retention = new Retention(limits);
  retention.note(0, 10, 0);
  retention.note(50, 15, 0);
  assert.equal(retention.expired(1600, 15), 10);
  assert.equal(retention.expired(3199, 15), undefined);
  assert.equal(retention.expired(3200, 15), 15);
  assert.equal(retention.nextIn(3200), undefined);
});

test("a storm is cut to the number of events that may be kept", () => {
  const retention = new Retention(limits);
  assert.equal(retention.note(0, 110, 0), undefined);
  assert.equal(retention.note(1, 111, 0), 11);
  assert.equal(retention.note(2, 112, 11), undefined);
});

test("a clock that goes back delays, and never expires too early", () => {
  const retention = new Retention(limits);
  retention.note(10_000, 5, 0);
  assert.equal(retention.expired(9_000, 5), undefined);
  assert.equal(retention.nextIn(9_000), 2600);
});
