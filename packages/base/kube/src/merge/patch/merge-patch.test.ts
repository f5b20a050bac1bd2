import assert from "node:assert/strict";
import { test } from "node:test";
import { deepFreeze, type Json } from "@trivium/std";
import fc from "fast-check";
import { applyMergePatch } from "./merge-patch.ts";
import { PatchError } from "./patch-error.ts";

/** The table of RFC 7386, appendix A, without the rows whose patch is not an object: a server refuses those. */
const rows: [Json, Json, Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [target, patch, wanted] of rows) {
  test(`merge patch ${JSON.stringify(patch)} on ${JSON.stringify(target)}`, () => {
    assert.deepEqual(applyMergePatch(deepFreeze(target), deepFreeze(patch)), wanted);
  });
}

test("a merge patch that is not an object is refused as by a real server", () => {
  const reported = (patch: Json) => {
    try {
      return applyMergePatch({}, patch);
    } catch (error) {
      return error instanceof PatchError ? `${error.code} ${error.message}` : error;
    }
  };
  const words = "400 error decoding patch: json: cannot unmarshal";
  assert.equal(reported([]), `${words} array into Go value of type map[string]interface {}`);
  assert.equal(reported("a"), `${words} string into Go value of type map[string]interface {}`);
  assert.equal(reported(true), `${words} bool into Go value of type map[string]interface {}`);
  assert.equal(reported(1), `${words} number into Go value of type map[string]interface {}`);
  assert.equal(reported(null), "400 Invalid JSON Patch");
});

test("a merge patch cannot reach a prototype", () => {
  const merged = applyMergePatch(
    {},
    JSON.parse('{"__proto__": {"polluted": true}, "a": {"constructor": null}}'),
  ) as object;
  assert.equal(Object.getPrototypeOf(merged), Object.prototype);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  assert.deepEqual(JSON.stringify(merged), '{"__proto__":{"polluted":true},"a":{}}');
});

test("applying a merge patch twice is applying it once, and neither input changes", () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const once = applyMergePatch(deepFreeze(target) as Json, deepFreeze(patch) as Json);
      assert.deepEqual(applyMergePatch(once, patch as Json), once);
    }),
  );
});
