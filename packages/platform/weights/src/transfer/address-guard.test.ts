import assert from "node:assert/strict";
import { test } from "node:test";
import { isLiteralAllowed, isPublicAddress } from "./address-guard.ts";

test("addresses that lead inside are not public, in every disguise", () => {
  const inside = [
    "127.0.0.1",
    "10.1.2.3",
    "172.31.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "::",
  ];
  const disguised = [
    "::ffff:127.0.0.1",
    "::ffff:169.254.169.254",
    "fe80::1",
    "fd00::1",
    "64:ff9b::7f00:1",
    "ff02::1",
    "nonsense",
  ];
  for (const address of [...inside, ...disguised]) assert.equal(isPublicAddress(address), false, address);
});

test("addresses of the internet are", () => {
  for (const address of ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:1.1.1.1"]) {
    assert.equal(isPublicAddress(address), true, address);
  }
});

test("a URL parser has already turned odd spellings into addresses", () => {
  for (const text of ["http://0x7f.1/", "http://2130706433/", "http://[::ffff:7f00:1]/", "http://127.1/"]) {
    assert.equal(isLiteralAllowed(new URL(text).hostname), false, text);
  }
  assert.equal(isLiteralAllowed("example.com"), true);
});
