import assert from "node:assert/strict";
import { test } from "node:test";
import { Recent } from "./recent.ts";

test("what is asked for stays, what is not is forgotten", () => {
  const recent = new Recent<number>(10);
  recent.set("kept", -1);
  for (let at = 0; at < 100; at += 1) {
    recent.set(`other-${at}`, at);
    assert.equal(recent.get("kept"), -1);
  }
  const left = Array.from({ length: 100 }, (_, at) => recent.get(`other-${at}`)).filter((value) => value !== undefined);
  assert.ok(left.length <= 20 && left.includes(99), `${left.length} are left`);
});

test("what is deleted is gone, however long ago it was set", () => {
  const recent = new Recent<number>(2);
  for (const name of ["a", "b", "c"]) recent.set(name, 1);
  for (const name of ["a", "c"]) recent.delete(name);
  assert.deepEqual([recent.get("a"), recent.get("b"), recent.get("c")], [undefined, 1, undefined]);
  recent.clear();
  assert.equal(recent.get("b"), undefined);
});
