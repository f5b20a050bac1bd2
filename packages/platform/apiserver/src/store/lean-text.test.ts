import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { leanText } from "./lean-text.ts";

test("text within Latin-1 is passed on as it is", () => {
  const text = JSON.stringify({ name: "café", size: 3 });
  assert.equal(leanText(text), text);
});

test("a rare wide character is escaped, and the JSON means the same", () => {
  const value = { note: `from → to 😀 ${"plain ".repeat(20)}` };
  const lean = leanText(JSON.stringify(value));
  assert.match(lean, /\\u2192/);
  assert.doesNotMatch(lean, /[\u0100-\uffff]/);
  assert.deepEqual(JSON.parse(lean), value);
});

test("text that is mostly wide stays as it is, because escapes would be longer", () => {
  const text = JSON.stringify({ note: "模型服务".repeat(10) });
  assert.equal(leanText(text), text);
});

test("half a surrogate pair is always escaped: it could not be written as UTF-8", () => {
  assert.equal(leanText('"\ud83d"'), '"\\ud83d"');
});

test("every JSON value keeps its meaning", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), (text) => {
      assert.deepEqual(JSON.parse(leanText(text)), JSON.parse(text));
    }),
  );
});
