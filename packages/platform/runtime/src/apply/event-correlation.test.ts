import assert from "node:assert/strict";
import { test } from "node:test";
import type { Note } from "@trivium/reconcile";
import { EventCorrelation } from "./event-correlation.ts";

const note = (message: string): Note => ({ type: "Normal", reason: "Pulled", message });

test("the same note is counted on one event", () => {
  const correlation = new EventCorrelation();
  const [first, second] = [correlation.correlate("a", note("x"), 1_000), correlation.correlate("a", note("x"), 2_000)];
  assert.deepEqual([first?.count, second?.count, second?.firstAt], [1, 2, 1_000]);
  assert.equal(first?.key, second?.key);
});

test("more than ten different messages for one reason become one event, until there is quiet", () => {
  const correlation = new EventCorrelation();
  const reported = Array.from({ length: 13 }, (_, i) => correlation.correlate("a", note(`try ${i}`), i * 1_000));
  assert.deepEqual([reported[9]?.message, reported[9]?.count], ["try 9", 1]);
  assert.equal(reported[10]?.message, "(combined from similar events): try 10");
  assert.deepEqual([reported[12]?.key === reported[10]?.key, reported[12]?.count], [true, 3]);
  const later = correlation.correlate("a", note("try 99"), 13_000 + 601_000);
  assert.equal(later?.message, "try 99");
});

test("an object that never stops talking is cut short, others are not", () => {
  const correlation = new EventCorrelation();
  const reported = Array.from({ length: 40 }, () => correlation.correlate("loud", note("x"), 0));
  assert.equal(reported.filter((each) => each !== undefined).length, 25);
  assert.notEqual(correlation.correlate("quiet", note("x"), 0), undefined);
  assert.notEqual(correlation.correlate("loud", note("x"), 300_000), undefined);
  assert.equal(correlation.correlate("loud", note("x"), 300_000), undefined);
});

test("a warning that is reworded for many objects at once is told of some; what is new of an object or was done is always told", () => {
  const correlation = new EventCorrelation();
  const count = (message: string, now: number, type: Note["type"] = "Warning") =>
    Array.from({ length: 300 }, (_, i) =>
      correlation.correlate(`s${i}`, { ...note(`${message} ${i}`), type }, now),
    ).filter((each) => each !== undefined).length;
  assert.equal(count("place", 1_000), 300);
  assert.equal(count("other place", 1_000), 50);
  assert.equal(count("third place", 11_000), 10);
  assert.equal(count("scaled to 1", 11_000, "Normal"), 300);
  assert.equal(count("scaled to 2", 11_000, "Normal"), 300);
  assert.notEqual(correlation.correlate("new", note("x"), 11_000), undefined);
});
