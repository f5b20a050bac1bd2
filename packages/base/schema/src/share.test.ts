import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Schema } from "./schema.ts";
import { shareSubschemas } from "./share.ts";

const part = (): Schema => ({
  type: "object",
  properties: { a: { type: "string", maxLength: 3 }, b: { type: "array", items: { type: "string", maxLength: 3 } } },
});

test("equal parts become one object, across schemas too; the content stays", () => {
  const source: Schema = { type: "object", properties: { x: part(), y: part() }, allOf: [part()] };
  const before = JSON.stringify(source);
  const shared = shareSubschemas(source);
  assert.equal(JSON.stringify(shared), before);
  assert.equal(JSON.stringify(source), before);
  assert.equal(shared.properties?.x, shared.properties?.y);
  assert.equal(shared.properties?.x, shared.allOf?.[0]);
  assert.equal(shared.properties?.x?.properties?.a, shared.properties?.x?.properties?.b?.items);
  assert.equal(shareSubschemas(part()), shared.properties?.x);
  assert.equal(shareSubschemas(shared), shared);
});

test("parts that differ in anything, order of properties included, stay apart", () => {
  const ab: Schema = { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } };
  const ba: Schema = { type: "object", properties: { b: { type: "integer" }, a: { type: "string" } } };
  assert.notEqual(shareSubschemas(ab), shareSubschemas(ba));
  assert.notEqual(shareSubschemas({ type: "string" }), shareSubschemas({ type: "string", default: "" }));
});

test("parts are one object exactly when they are written the same", () => {
  const own = {
    type: fc.constantFrom("string", "object"),
    // Alike at both ends.
    description: fc.constantFrom("x".repeat(80), `${"x".repeat(40)}y${"x".repeat(39)}`, ""),
    default: fc.constantFrom(null, {}, { a: 1 }, [1], "1", 1, true),
  };
  const names = fc.constantFrom("a", "__proto__", "constructor", "items");
  const around = (inner: fc.Arbitrary<object>) =>
    fc.record(
      {
        ...own,
        items: inner,
        additionalProperties: fc.oneof(fc.boolean(), inner),
        allOf: fc.array(inner, { maxLength: 2 }),
        properties: fc.dictionary(names, inner, { maxKeys: 2 }),
      },
      { requiredKeys: [] },
    );
  const schema = around(around(fc.record(own, { requiredKeys: [] }))).map(
    (value) => JSON.parse(JSON.stringify(value)) as Schema,
  );
  fc.assert(
    fc.property(fc.array(schema, { minLength: 2, maxLength: 6 }), (given) => {
      const made = given.map((one) => ({ text: JSON.stringify(one), shared: shareSubschemas(one) }));
      for (const { text, shared } of made) {
        assert.equal(JSON.stringify(shared), text);
        for (const other of made) assert.equal(shared === other.shared, text === other.text);
      }
    }),
    { numRuns: 200 },
  );
});

test("a schema that contains itself is given back as it is", () => {
  const tree: Schema = { type: "object", properties: {} };
  (tree.properties as Record<string, Schema>).kid = tree;
  assert.equal(shareSubschemas(tree), tree);
});
