import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { canonicalJson, cloneJson, deepEqual, deepFreeze, isObject } from "./deep.ts";

test("equality ignores key order and undefined, and nothing else", () => {
  assert.ok(deepEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }));
  assert.ok(deepEqual({ a: 1, gone: undefined }, { a: 1 }));
  for (const [a, b] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [[1], [1, 2]],
    [[], {}],
    [null, {}],
    [0, false],
    ["1", 1],
    [{ a: null }, {}],
    [{ toString: 1 }, {}],
  ]) {
    assert.equal(deepEqual(a, b), false, JSON.stringify([a, b]));
    assert.equal(deepEqual(b, a), false, JSON.stringify([b, a]));
  }
});

test("a clone is equal, shares nothing, and keeps a property named __proto__", () => {
  const evil = JSON.parse('{"__proto__":{"polluted":true},"a":[{"b":1}]}');
  const copy = cloneJson(evil);
  assert.equal(JSON.stringify(copy), JSON.stringify(evil));
  assert.notEqual(copy.a[0], evil.a[0]);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("canonical JSON is the same for any key order and parses back to the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      assert.ok(deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value))));
      assert.equal(canonicalJson(JSON.parse(text)), text);
    }),
  );
  assert.equal(canonicalJson({ b: 1, a: { d: undefined, c: "é" } }), '{"a":{"c":"é"},"b":1}');
  assert.equal(canonicalJson([undefined, { b: [{ 9: 1, 10: 2, a: 3 }] }]), '[null,{"b":[{"10":2,"9":1,"a":3}]}]');
  assert.equal(canonicalJson(JSON.parse('{"b":1,"__proto__":{"z":1,"a":2}}')), '{"__proto__":{"a":2,"z":1},"b":1}');
});

test("freezing reaches everything and survives a cycle", () => {
  const value: { inner: { list: number[]; up?: unknown } } = { inner: { list: [1] } };
  value.inner.up = value;
  deepFreeze(value);
  assert.throws(() => value.inner.list.push(2), TypeError);
  assert.ok(isObject(value) && !isObject([]) && !isObject(null));
});
