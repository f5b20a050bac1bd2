import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@trivium/std";
import fc from "fast-check";
import { duplicateFields } from "./duplicates.ts";

const find = (text: string) => duplicateFields(text, JSON.parse(text) as Json);

test("paths lead through objects and lists", () => {
  assert.deepEqual(find('{"a":1,"a":2}'), ["a"]);
  assert.deepEqual(find('{"spec":{"env":[{"n":1},{"n":1,"n":2}],"x":{"y":1,"y":{"z":1,"z":2}}}}'), [
    "spec.env[1].n",
    "spec.x.y",
    "spec.x.y.z",
  ]);
  assert.deepEqual(find('{ "a" : "a" , "b":"a","c":["a","a"] }'), []);
});

test("a key is the same however it is spelled, and text in values is no key", () => {
  assert.deepEqual(find('{"a":1,"\\u0061":2}'), ["a"]);
  assert.deepEqual(find('{"a\\"":1,"a":2, "b":"\\"a\\":1,{}[],", "c\\\\":1,"c\\\\":2}'), ["c\\"]);
});

test("whatever is serialized, in whatever spacing, has none", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 0, max: 3 }), (text, spaces) => {
      assert.deepEqual(find(JSON.stringify(JSON.parse(text), null, spaces)), []);
    }),
  );
});

test("a field given again is found wherever it is", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 5 }),
      fc.jsonValue(),
      (path, value) => {
        const leaf = JSON.stringify(path.at(-1));
        const inner = `{${leaf}: ${JSON.stringify(value)}, ${leaf}: 1}`;
        const text = path.slice(0, -1).reduceRight((body, key) => `{${JSON.stringify(key)}: ${body}}`, inner);
        assert.equal(find(text)[0], path.join("."));
      },
    ),
  );
});
