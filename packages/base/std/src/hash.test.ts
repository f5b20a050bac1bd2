import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256Hex, shortHash } from "./hash.ts";

test("sha256 of known texts", () => {
  assert.equal(sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  assert.equal(
    sha256Hex(new TextEncoder().encode("abc")),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test("short hashes are stable, of the asked length, start with a letter and never collide in a crowd", () => {
  assert.equal(shortHash("abc"), shortHash("abc"));
  const seen = new Set<string>();
  for (let index = 0; index < 2000; index++) {
    const hash = shortHash(`object-${index}`);
    assert.match(hash, /^[a-z][a-z0-9]{9}$/);
    seen.add(hash);
  }
  assert.equal(seen.size, 2000);
  assert.equal(shortHash("abc", 5), shortHash("abc").slice(0, 5));
});
