import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exactValueOf, formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";

const read = (fields: Record<string, string>) => (field: string) => fields[field];

test("field selectors match", () => {
  const rows: [string, Record<string, string>, boolean][] = [
    ["", {}, true],
    [",", {}, true],
    ["metadata.name=a", { "metadata.name": "a" }, true],
    ["metadata.name==a", { "metadata.name": "a" }, true],
    ["metadata.name!=a", { "metadata.name": "a" }, false],
    ["metadata.name!=a,spec.x=1", { "metadata.name": "b", "spec.x": "1" }, true],
    ["spec.nodeName=", {}, true],
    ["spec.nodeName!=", {}, false],
    ["a=x\\,y", { a: "x,y" }, true],
    ["a=x\\=y\\\\", { a: "x=y\\" }, true],
  ];
  for (const [text, fields, wanted] of rows)
    assert.equal(matchesFields(parseFieldSelector(text), read(fields)), wanted, text);
});

test("field selectors that cannot be read are refused in the words of a real server", () => {
  const rows: [string, string][] = [
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["metadata.name=a\\x", "invalid field selector: invalid escape sequence: \\x"],
    ["metadata.name=a\\", "invalid field selector: invalid escape sequence: \\"],
    ["metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
    ["b=1,a", "invalid selector: 'b=1,a'; can't understand 'a'"],
  ];
  for (const [text, message] of rows) assert.throws(() => parseFieldSelector(text), { name: "SelectorError", message });
});

test("a selector tells which value it pins a field to", () => {
  const selector = parseFieldSelector("metadata.name=a,metadata.namespace!=b");
  assert.equal(exactValueOf(selector, "metadata.name"), "a");
  assert.equal(exactValueOf(selector, "metadata.namespace"), undefined);
});

test("any value survives being written and read", () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const selector = { terms: [{ field: "a", operator: "=" as const, value }] };
      assert.deepEqual(parseFieldSelector(formatFieldSelector(selector)), selector);
    }),
  );
});
