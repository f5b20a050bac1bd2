import assert from "node:assert/strict";
import { test } from "node:test";
import { applyDefaults } from "./defaults.ts";
import { prune } from "./prune.ts";
import type { Schema } from "./schema.ts";

const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string", default: "x" },
        list: { type: "array", items: { type: "object", properties: { b: { type: "integer", default: 1 } } } },
        open: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { k: { type: "object" } } },
        map: { type: "object", additionalProperties: { type: "object", properties: { c: { type: "string" } } } },
        either: { "x-kubernetes-int-or-string": true },
        inner: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: { type: "object" } } },
      },
    },
  },
};

test("what the schema does not know is dropped and named, sorted", () => {
  const object = JSON.parse(`{
    "apiVersion": "v1", "kind": "X", "metadata": {"name": "x", "odd": 1}, "extra": 1,
    "spec": {"z": 1, "constructor": 1, "__proto__": {"a": 1}, "list": [{"b": 2, "q": 1}, 3], "open": {"x": {"y": 1}, "k": {"gone": 1}},
      "map": {"toString": {"c": "1", "d": 1}}, "either": 5,
      "inner": {"apiVersion": "v1", "kind": "Y", "metadata": {"any": 1}, "spec": {"gone": 1}, "gone": 1}}
  }`);
  assert.deepEqual(prune(schema, object, { isResourceRoot: true }), [
    "extra",
    "spec.__proto__",
    "spec.constructor",
    "spec.inner.gone",
    "spec.inner.spec.gone",
    "spec.list[0].q",
    "spec.map.toString.d",
    "spec.open.k.gone",
    "spec.z",
  ]);
  assert.deepEqual(object, {
    apiVersion: "v1",
    kind: "X",
    metadata: { name: "x", odd: 1 },
    spec: {
      list: [{ b: 2 }, 3],
      open: { x: { y: 1 }, k: {} },
      map: { toString: { c: "1" } },
      either: 5,
      inner: { apiVersion: "v1", kind: "Y", metadata: { any: 1 }, spec: {} },
    },
  });
});

test("what is no root keeps no head that its schema does not know", () => {
  const object = { apiVersion: "v1", kind: "X", metadata: {}, spec: {} };
  assert.deepEqual(prune(schema, object), []);
  assert.deepEqual(object, { spec: {} });
});

test("defaults are copies, reach into what is there, and make nothing that is not asked for", () => {
  const list: Schema = {
    type: "object",
    properties: { l: { type: "array", default: [{}], items: schema.properties?.spec as Schema } },
  };
  const first = { l: undefined } as unknown as { l: { a: string }[] };
  delete (first as { l?: unknown }).l;
  applyDefaults(list, first);
  assert.deepEqual(first, { l: [{ a: "x" }] });
  first.l[0]!.a = "changed";
  const second = {};
  applyDefaults(list, second);
  assert.deepEqual(second, { l: [{ a: "x" }] });
  const object = { spec: { list: [{}, { b: null }], a: null, map: { k: null } } };
  applyDefaults(schema, object);
  assert.deepEqual(object, { spec: { list: [{ b: 1 }, { b: 1 }], a: "x", map: {} } });
  const empty = {};
  applyDefaults(schema, empty);
  assert.deepEqual(empty, {});
});

test("a schema that contains itself is walked as deep as the value goes", () => {
  const tree: Schema = { type: "object", properties: { name: { type: "string", default: "n" } } };
  (tree.properties as Record<string, Schema>).kids = { type: "array", items: tree };
  const value = { kids: [{ kids: [{ odd: 1 }] }] };
  assert.deepEqual(prune(tree, value), ["kids[0].kids[0].odd"]);
  applyDefaults(tree, value);
  assert.deepEqual(value, { name: "n", kids: [{ name: "n", kids: [{ name: "n" }] }] });
});
