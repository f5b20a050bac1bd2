import assert from "node:assert/strict";
import { test } from "node:test";
import { Meter } from "./meter.ts";

test("bytes never go backwards when a download starts over", () => {
  const meter = new Meter("m", 0, 0);
  meter.total = 1000;
  meter.received(600);
  meter.have(600);
  assert.equal(meter.read(1000).bytes, 600);
  meter.attempt++;
  meter.have(0);
  meter.received(100);
  meter.have(100);
  const after = meter.read(2000);
  assert.equal(after.bytes, 600);
  assert.equal(after.attempt, 2);
  meter.received(900);
  meter.have(1000);
  assert.equal(meter.read(3000).bytes, 1000);
});

test("resumed bytes are done but make no rate", () => {
  const meter = new Meter("m", 500, 0);
  meter.total = 1000;
  assert.deepEqual(meter.read(1000), {
    file: "m",
    bytes: 500,
    total: 1000,
    rate: 0,
    etaSeconds: undefined,
    attempt: 1,
    protocol: undefined,
  });
  meter.received(100);
  meter.have(600);
  const read = meter.read(2000);
  assert.equal(read.rate, 100);
  assert.equal(read.etaSeconds, 4);
});

test("an unknown total gives no estimate, and more than the total is never shown", () => {
  const meter = new Meter("m", 0, 0);
  meter.received(10);
  meter.have(10);
  assert.equal(meter.read(1000).etaSeconds, undefined);
  meter.total = 5;
  assert.equal(meter.read(2000).bytes, 5);
});
