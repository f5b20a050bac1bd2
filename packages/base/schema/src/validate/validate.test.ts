import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyDefaults } from "../defaults.ts";
import { formatFieldError } from "../field-error.ts";
import { prune } from "../prune.ts";
import type { Schema } from "../schema.ts";
import { validate } from "./index.ts";

const faults = (schema: Schema, value: Parameters<typeof validate>[1]) => validate(schema, value).map(formatFieldError);

test("a schema without rules says nothing about rules that were not checked", () => {
  const schema: Schema = { type: "object", properties: { a: { type: "integer" } } };
  assert.deepEqual(faults(schema, { a: "x" }), [
    'a: Invalid value: "string": a in body must be of type integer: "string"',
  ]);
});

test("lengths are counted in characters, not in UTF-16 units", () => {
  const schema: Schema = { type: "object", properties: { a: { type: "string", maxLength: 2 } } };
  assert.deepEqual(faults(schema, { a: "😀😀" }), []);
  assert.deepEqual(faults(schema, { a: "😀😀😀" }), ["a: Too long: may not be more than 2 bytes"]);
});

test("cyclic schemas check as deep as the value goes", () => {
  const tree: Schema = { type: "object", required: ["name"], properties: { name: { type: "string" } } };
  (tree.properties as Record<string, Schema>).kids = { type: "array", items: tree };
  assert.deepEqual(faults(tree, { name: "a", kids: [{ name: "b", kids: [{}] }] }), [
    "kids[0].kids[0].name: Required value",
  ]);
});

test("properties named like parts of every JavaScript object are unknown, not found", () => {
  const schema: Schema = {
    type: "object",
    required: ["constructor"],
    properties: { a: { type: "string" } },
    additionalProperties: false,
  };
  assert.deepEqual(faults(schema, JSON.parse('{"__proto__": 1}')), [
    '<nil>: Invalid value: "__proto__": __proto__ in body is a forbidden property',
    "constructor: Required value",
  ]);
});

test("unknown keywords do no harm", () => {
  const schema = {
    type: "object",
    properties: { a: { type: "string", "x-odd": { deep: [1] }, format: "no-such" } },
  } as Schema;
  assert.deepEqual(faults(schema, { a: "x" }), []);
});

test("a pattern the server cannot read fails the value and says why", () => {
  const schema: Schema = { type: "object", properties: { a: { type: "string", pattern: "(" } } };
  assert.deepEqual(faults(schema, { a: "x" }), [
    "a: Invalid value: \"x\": a in body should match '(, but pattern is invalid: error parsing regexp: missing closing ): `(`'",
  ]);
});

const anySchema: fc.Arbitrary<Schema> = fc.letrec<{ node: Schema }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Schema>(
      { type: "string" },
      { type: "integer", minimum: 0, default: 3 },
      { type: "boolean", default: true },
      { "x-kubernetes-int-or-string": true },
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ),
    fc
      .dictionary(fc.constantFrom("a", "b", "c"), tie("node"))
      .map((properties): Schema => ({ type: "object", properties })),
    tie("node").map((items): Schema => ({ type: "array", items })),
    tie("node").map((additionalProperties): Schema => ({ type: "object", additionalProperties })),
  ),
})).node;

test("for any schema and any value: nothing throws, and pruning and defaulting twice is doing it once", () => {
  fc.assert(
    fc.property(anySchema, fc.jsonValue(), (schema, json) => {
      const once = structuredClone(json) as never;
      prune(schema, once);
      applyDefaults(schema, once);
      const twice = structuredClone(once);
      assert.deepEqual(prune(schema, twice), []);
      applyDefaults(schema, twice);
      assert.deepEqual(twice, once);
      validate(schema, once);
    }),
    { numRuns: 300 },
  );
});
