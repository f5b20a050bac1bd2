import assert from "node:assert/strict";
import { test } from "node:test";
import { k8s } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { compareKind } from "./compare.ts";
import type { Facts, FieldFact } from "./facts.ts";

/** What is different when the document says `fact` of the field `a`, and our schema says `schema`. */
function differences(fact: FieldFact, schema: Schema, speaksOf: Facts["speaksOf"] = []): string[] {
  const facts: Facts = { speaksOf, kinds: { Thing: { type: "object", fields: { a: fact } } }, types: {} };
  const whole: Schema = { type: "object", properties: { a: schema } };
  return compareKind(facts, "Thing", whole).map(({ path, what }) => `${path} ${what}`);
}

const text: Schema = { type: "string" };

const rows: readonly (readonly [string, FieldFact, Schema, readonly string[]])[] = [
  ["equal", { type: "string", enum: ["b", "a"], default: "a" }, { ...text, enum: ["a", "b"], default: "a" }, []],
  ["another type", { type: "integer" }, text, ["a type"]],
  ["another format", { type: "integer", format: "int64" }, { type: "integer", format: "int32" }, ["a type"]],
  ["a format nobody speaks of", { type: "integer" }, { type: "integer", format: "int32" }, []],
  ["a text is not a quantity", { type: "quantity" }, text, ["a type"]],
  ["a quantity", { type: "quantity" }, { "x-kubernetes-int-or-string": true, pattern: "x" }, []],
  ["another default", { type: "string", default: "a" }, { ...text, default: "b" }, ["a default"]],
  ["no default", { type: "boolean", default: false }, { type: "boolean" }, ["a default"]],
  ["another enum", { type: "string", enum: ["a"] }, { ...text, enum: ["a", "b"] }, ["a enum"]],
  ["another pattern", { type: "string", pattern: "^a" }, { ...text, pattern: "^b" }, ["a pattern"]],
  ["another bound", { type: "integer", bounds: { minimum: 1 } }, { type: "integer", minimum: 0 }, ["a bounds"]],
  [
    "one bound too many",
    { type: "integer", bounds: { minimum: 1 } },
    { type: "integer", minimum: 1, maximum: 2 },
    ["a bounds"],
  ],
  ["a null less", { type: "string", nullable: true }, text, ["a nullable"]],
  ["another rule", { type: "string", rules: [{ rule: "true" }] }, text, ["a rules"]],
  [
    "another list",
    { type: "array", of: { type: "string" }, list: { type: "set" } },
    { type: "array", items: text },
    ["a list"],
  ],
  ["inside a list", { type: "array", of: { type: "integer" } }, { type: "array", items: text }, ["a[] type"]],
  [
    "inside a map",
    { type: "map", of: { type: "integer" } },
    { type: "object", additionalProperties: text },
    ["a{} type"],
  ],
  [
    "a field less",
    { type: "object", fields: { b: { type: "string" } } },
    { type: "object", properties: {} },
    ["a.b missing"],
  ],
  ["a list is not its entry", { type: "array", of: { type: "string" } }, text, ["a type"]],
  [
    "a free object is not a typed one",
    { type: "object", fields: {} },
    { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ["a type"],
  ],
];

for (const [title, fact, schema, expected] of rows) {
  test(`compare: ${title}`, () => assert.deepEqual(differences(fact, schema), expected));
}

test("silence means none only where the document speaks of such things", () => {
  const schema: Schema = { ...text, default: "x", enum: ["x"], pattern: "x", minLength: 1, nullable: true };
  assert.deepEqual(differences({ type: "string" }, schema), []);
  assert.deepEqual(differences({ type: "string" }, schema, ["default", "enum", "pattern", "bounds", "nullable"]), [
    "a nullable",
    "a default",
    "a enum",
    "a pattern",
    "a bounds",
  ]);
});

test("required is compared in both directions", () => {
  const compare = (required: boolean, ours: string[]): string[] => {
    const facts: Facts = {
      speaksOf: ["required"],
      kinds: { Thing: { type: "object", fields: { a: { type: "string", required } } } },
      types: {},
    };
    return compareKind(facts, "Thing", { type: "object", required: ours, properties: { a: text } }).map(
      ({ what }) => what,
    );
  };
  assert.deepEqual([compare(true, ["a"]), compare(false, [])], [[], []]);
  assert.deepEqual([compare(true, []), compare(false, ["a"])], [["required"], ["required"]]);
});

test("a document that closes its objects allows no field more", () => {
  const facts: Facts = { speaksOf: ["extra"], kinds: { Thing: { type: "object", fields: {} } }, types: {} };
  const found = (schema: Schema): string[] =>
    compareKind(facts, "Thing", schema).map(({ path, what }) => `${path} ${what}`);
  assert.deepEqual(found({ type: "object", properties: { a: text } }), ["a extra"]);
  assert.deepEqual(found({ type: "object", properties: {}, "x-kubernetes-preserve-unknown-fields": true }), [" extra"]);
});

test("named types bring the fields of what they embed, and of Kubernetes types too", () => {
  const facts: Facts = {
    speaksOf: [],
    kinds: { Thing: { type: "object", own: ["Outer", "Second"] } },
    types: {
      Outer: { embeds: ["Inner"], embedsK8s: ["LocalObjectReference"], fields: { a: { type: "string" } } },
      Inner: { fields: { b: { type: "string" } } },
      Second: { fields: { c: { type: "string" } } },
    },
  };
  const found = (properties: Record<string, Schema>): string[] =>
    compareKind(facts, "Thing", { type: "object", properties }).map(({ path }) => path);
  assert.deepEqual(found({}), ["name", "b", "a", "c"]);
  assert.deepEqual(found({ a: text, b: text, c: text, ...k8s.LocalObjectReference.properties }), []);
});

test("a Kubernetes type must be whole, however deep", () => {
  const fact: FieldFact = { type: "object", k8s: "EnvVar" };
  const { valueFrom: _, ...rest } = k8s.EnvVar.properties ?? {};
  assert.deepEqual(differences(fact, k8s.EnvVar), []);
  assert.deepEqual(differences(fact, { ...k8s.EnvVar, description: "ours" }), []);
  assert.deepEqual(differences(fact, { type: "object", properties: rest }), ["a.valueFrom missing"]);
  const flat = { ...k8s.EnvVar.properties, valueFrom: text };
  assert.deepEqual(differences(fact, { type: "object", properties: flat }), ["a.valueFrom type"]);
});

test("samples: the field must be there and take such a value", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      limits: { type: "object", additionalProperties: { "x-kubernetes-int-or-string": true } },
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      parts: { type: "array", items: { type: "object", properties: { name: text } } },
    },
  };
  const samples = {
    "limits[a.b/c]": "integer",
    "free.x.y": "string",
    parts: "array",
    "parts[].name": "integer",
    "parts[].size": "any",
    other: "string",
  } as const;
  const facts: Facts = { speaksOf: [], kinds: {}, types: {}, samples: { Thing: samples } };
  assert.deepEqual(
    compareKind(facts, "Thing", schema).map(({ path, what }) => `${path} ${what}`),
    ["parts[].name type", "parts[].size missing", "other missing"],
  );
});
