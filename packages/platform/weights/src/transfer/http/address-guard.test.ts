import assert from "node:assert/strict";
import { test } from "node:test";
import { guardOf, isAddressException, isPublicAddress } from "./address-guard.ts";

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
    "::127.0.0.1",
    "64:ff9b:1::a00:1",
    "192.88.99.1",
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
  const guard = guardOf("public");
  for (const text of ["http://0x7f.1/", "http://2130706433/", "http://[::ffff:7f00:1]/", "http://127.1/"]) {
    assert.equal(guard?.allows(new URL(text).hostname), false, text);
  }
  assert.equal(guard?.allows("example.com"), true);
  assert.equal(guardOf("any"), undefined);
});

test("networks and addresses that are named are allowed besides, and nothing near them", () => {
  const guard = guardOf({ publicAnd: ["10.1.0.0/16", "192.168.7.7", "fd00:1::/32", "mirror.internal"] });
  for (const host of ["10.1.2.3", "192.168.7.7", "[fd00:1::5]", "1.1.1.1", "[::ffff:10.1.2.3]"])
    assert.equal(guard?.allows(host), true, host);
  for (const host of ["10.2.0.1", "192.168.7.8", "[fd00:2::5]", "127.0.0.1"])
    assert.equal(guard?.allows(host), false, host);
});

test("a name that is allowed may lead inside; another that leads there may not", async () => {
  const find = (host: string, names: readonly string[]): Promise<unknown> =>
    new Promise((resolve) =>
      guardOf({ publicAnd: names })?.lookup(host, {}, (error, address) => resolve(error ?? address)),
    );
  assert.match(String(await find("localhost", ["LocalHost"])), /^(127\.|::1)/);
  assert.match(String(await find("localhost", ["elsewhere"])), /its address is private or reserved/);
});

test("what can be named as an exception", () => {
  for (const text of ["mirror.internal", "10.0.0.0/8", "10.0.0.1", "fd00::/8", "::1"])
    assert.equal(isAddressException(text), true, text);
  for (const text of ["", "10.0.0.0/33", "host/8", "a b", "http://x", "10.0.0.0/8/8", "-x"])
    assert.equal(isAddressException(text), false, text);
});
