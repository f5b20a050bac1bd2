import assert from "node:assert/strict";
import test from "node:test";
import type { Schema } from "@trivium/schema";
import { decodeEmbeddedMetadata } from "./embedded-metadata.ts";

const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        others: { type: "array", items: { type: "object", "x-kubernetes-embedded-resource": true } },
      },
    },
  },
};

test("unknown metadata of embedded objects goes, and its paths are told", () => {
  const object = {
    spec: {
      template: { metadata: { name: "a", labels: { x: "y" }, nope: 1 }, free: { metadata: { nope: 1 } } },
      others: [{ metadata: { name: "b" } }, { metadata: { odd: true } }],
    },
  };
  assert.deepEqual(decodeEmbeddedMetadata(schema, object), [
    "spec.template.metadata.nope",
    "spec.others[1].metadata.odd",
  ]);
  assert.deepEqual(object.spec.template, {
    metadata: { name: "a", labels: { x: "y" } },
    free: { metadata: { nope: 1 } },
  });
});

test("metadata of a wrong type is refused with its place", () => {
  assert.throws(() => decodeEmbeddedMetadata(schema, { spec: { template: { metadata: { name: 5 } } } }), {
    message:
      'spec.template.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go struct field ObjectMeta.name of type string',
  });
});

test("a schema without embedded objects is not walked", () => {
  assert.deepEqual(decodeEmbeddedMetadata({ type: "object" }, { metadata: { nope: 1 } }), []);
});
