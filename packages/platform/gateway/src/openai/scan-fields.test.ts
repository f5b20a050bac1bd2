import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { prefixOf, replaceModel, scanFields } from "./scan-fields.ts";

const scan = (text: string) => scanFields(Buffer.from(text));

describe("what a body says of its model", () => {
  it("is found wherever it stands, and only at the top", () => {
    const text = '{ "messages" : [{"model":"inner"}], "stream": true ,"model": "a\\"b" }';
    const found = scan(text);
    assert.ok(found.is === "fields");
    assert.deepEqual([found.fields.model, found.fields.isStream], ['a"b', true]);
    assert.equal(text.slice(found.fields.modelFrom, found.fields.modelTo), '"a\\"b"');
    assert.equal(prefixOf(Buffer.from(text), found.fields, 5), '[{"mo');
  });

  it("agrees with JSON about every object", () => {
    const object = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
      .filter((value) => typeof value.model !== "object");
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 2), (value, indent) => {
        const { model: _, ...rest } = value;
        const found = scan(JSON.stringify({ ...rest, model: "m" }, null, indent));
        assert.ok(found.is === "fields");
        assert.equal(found.fields.model, "m");
        assert.equal(found.fields.isStream, rest.stream === true);
      }),
    );
  });

  it("never fails on bytes, and never takes what JSON refuses to open or close", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        scanFields(Buffer.from(bytes));
      }),
    );
    for (const text of [
      "",
      "{",
      "}",
      '{"a"}',
      '{"a":}',
      '{"a":1,}',
      '{"a":[1,]}',
      '{"a":[1}',
      '{"a":"\\"}',
      "{'a':1}",
      '{"a":01}',
      '{"a":1 2}',
      "null",
    ]) {
      assert.equal(scan(text).is, "bad", text);
    }
  });

  it("is replaced without touching anything else", () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (name, value) => {
        const body = Buffer.from(
          `{"big":12345678901234567890.0, "model":${JSON.stringify(name)},"x":${JSON.stringify(value)}}`,
        );
        const found = scanFields(body);
        assert.ok(found.is === "fields");
        const replaced = replaceModel(body, found.fields, "näme").toString();
        assert.ok(replaced.startsWith('{"big":12345678901234567890.0, "model":"näme","x":'));
        assert.deepEqual(JSON.parse(replaced), { ...JSON.parse(body.toString()), model: "näme" });
      }),
    );
  });
});
