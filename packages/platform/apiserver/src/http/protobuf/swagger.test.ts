import assert from "node:assert/strict";
import { it } from "node:test";
import { encodeSwagger } from "./swagger.ts";
import { WireReader } from "./wire.ts";

/** What a reader of the wire finds: strings where the bytes are text, nested fields where a path leads on. */
function read(bytes: Buffer, ...path: number[]): (string | number)[] {
  const [number, ...deeper] = path;
  const found: (string | number)[] = [];
  const reader = new WireReader(bytes);
  while (!reader.done) {
    const tag = reader.tag();
    if (tag.number !== number) {
      reader.skip(tag.wire);
      continue;
    }
    if (tag.wire === 0) found.push(Number(reader.varint()));
    else if (tag.wire === 1) found.push(reader.double());
    else {
      const inner = reader.bytes();
      if (deeper.length > 0) found.push(...read(inner, ...deeper));
      else found.push(inner.toString("utf8"));
    }
  }
  return found;
}

const document = encodeSwagger({
  swagger: "2.0",
  info: { title: "Kubernetes", version: "1.36" },
  paths: {},
  definitions: {
    "a.Thing": {
      description: "x".repeat(300),
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 0.5, maxLength: 300, uniqueItems: true, default: { a: 1 }, enum: ["ä", 2] },
        parts: { type: "array", items: { $ref: "#/definitions/a.Part" } },
        map: { type: "object", additionalProperties: { type: "string" } },
        open: { type: "object", additionalProperties: true },
      },
      "x-kubernetes-group-version-kind": [{ group: "a", kind: "Thing", version: "v1" }],
    },
  },
});

it("an OpenAPI v2 document takes gnostic's form", () => {
  assert.deepEqual(read(document, 1), ["2.0"]);
  assert.deepEqual(read(document, 2, 2), ["1.36"]);
  assert.deepEqual(read(document, 9, 1, 1), ["a.Thing"]);
  assert.deepEqual(read(document, 9, 1, 2, 4), ["x".repeat(300)]);
  assert.deepEqual(read(document, 9, 1, 2, 19), ["size"]);
  const property = [9, 1, 2, 25, 1] as const;
  assert.deepEqual(read(document, ...property, 1), ["size", "parts", "map", "open"]);
  assert.deepEqual(read(document, ...property, 2, 22, 1), ["integer", "array", "object", "object"]);
  assert.deepEqual(read(document, ...property, 2, 9), [0.5]);
  assert.deepEqual(read(document, ...property, 2, 11), [300]);
  assert.deepEqual(read(document, ...property, 2, 16), [1]);
  assert.deepEqual(read(document, ...property, 2, 5, 2), ['{"a":1}']);
  assert.deepEqual(read(document, ...property, 2, 20, 2), ['"ä"', "2"]);
  assert.deepEqual(read(document, ...property, 2, 23, 1, 1), ["#/definitions/a.Part"]);
  assert.deepEqual(read(document, ...property, 2, 21, 1, 22, 1), ["string"]);
  assert.deepEqual(read(document, ...property, 2, 21, 2), [1]);
  assert.deepEqual(read(document, 9, 1, 2, 31, 1), ["x-kubernetes-group-version-kind"]);
  assert.deepEqual(read(document, 9, 1, 2, 31, 2, 2), ['[{"group":"a","kind":"Thing","version":"v1"}]']);
});
