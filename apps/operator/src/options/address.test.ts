import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAddress, parseAddress } from "./address.ts";

test("addresses are read and written back", () => {
  for (const text of ["127.0.0.1:9440", "[::1]:0", "operator.internal:65535"]) {
    assert.equal(formatAddress(parseAddress(text) ?? { host: "", port: -1 }), text);
  }
  assert.deepEqual(parseAddress(":80"), { host: "::", port: 80 });
});

test("what is no address is not taken for one", () => {
  for (const text of ["", "9440", "host", "host:", "host:65536", "host:-1", "::1:80", "[::1]", "a:b:80", "host:80 "]) {
    assert.equal(parseAddress(text), undefined, text);
  }
});
