import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CollectedBody } from "./collected-body.ts";

describe("a body in pieces", () => {
  for (const size of [1, 7, 64, 1_000]) {
    it(`is whole after pieces of ${size} bytes, and never takes more memory than twice what has arrived`, () => {
      const sent = Buffer.from(Array.from({ length: 1_000 }, (_, at) => at % 251));
      const body = new CollectedBody(sent.length);
      for (let at = 0; at < sent.length; at += size) {
        assert.equal(body.isWhole, false);
        assert.equal(body.add(sent.subarray(at, at + size)).length, 0);
        assert.ok(body.capacity <= Math.min(sent.length, 2 * (at + size)));
      }
      assert.equal(body.isWhole, true);
      assert.deepEqual(body.bytes, sent);
    });
  }

  it("takes no memory before anything has arrived", () => {
    const body = new CollectedBody(256 * 1024);
    body.add(Buffer.alloc(0));
    assert.equal(body.capacity, 0);
  });

  it("gives back what follows it", () => {
    const body = new CollectedBody(5);
    body.add(Buffer.from("he"));
    assert.equal(body.add(Buffer.from("lloPOST")).toString(), "POST");
    assert.equal(body.bytes.toString(), "hello");
  });
});
