import assert from "node:assert/strict";
import { test } from "node:test";
import { once } from "./once.ts";

test("a function is evaluated once for the same objects, and again for others", () => {
  const calls: string[] = [];
  const joined = once((a: { name: string }, b: { name: string }) => {
    calls.push(a.name + b.name);
    return a.name + b.name;
  });
  const [a, b, other] = [{ name: "a" }, { name: "b" }, { name: "a" }];
  for (const _ of [1, 2, 3]) assert.equal(joined(a, b), "ab");
  assert.equal(joined(b, a), "ba");
  assert.equal(joined(other, b), "ab");
  assert.deepEqual(calls, ["ab", "ba", "ab"]);
});

test("nothing is a result too", () => {
  let calls = 0;
  const found = once((_: object): undefined => {
    calls += 1;
  });
  const key = {};
  assert.equal(found(key), undefined);
  assert.equal(found(key), undefined);
  assert.equal(calls, 1);
});

test("what many objects came to is forgotten, what the last ones came to is not", () => {
  const calls: object[] = [];
  const named = once((key: object) => {
    calls.push(key);
    return {};
  });
  const keys = Array.from({ length: 1_000 }, () => ({}));
  const results = keys.map((key) => named(key));
  assert.equal(named(keys.at(-1) as object), results.at(-1));
  assert.equal(calls.length, 1_000);
  assert.notEqual(named(keys[0] as object), results[0]);
});
