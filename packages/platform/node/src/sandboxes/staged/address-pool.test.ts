import assert from "node:assert/strict";
import { test } from "node:test";
import { AddressPool } from "./address-pool.ts";

test("addresses are given once, kept by their owner, and used again only when all were used", () => {
  const pool = new AddressPool("10.1.2.0/29");
  assert.deepEqual(
    ["a", "b", "a"].map((owner) => pool.take(owner)),
    ["10.1.2.2", "10.1.2.3", "10.1.2.2"],
  );
  pool.release("a");
  assert.equal(pool.take("c"), "10.1.2.4");
  assert.equal(pool.take("d", "10.1.2.6"), "10.1.2.6");
  assert.equal(pool.take("e", "10.1.2.6"), "10.1.2.5", "a wish for what another has is not granted");
  assert.equal(pool.take("f", "192.168.0.1"), "10.1.2.2", "nor one for what is not ours");
  assert.throws(() => pool.take("g"), /no free address/);
  for (const bad of ["10.1.2.0", "10.1.2.0/31", "10.1.300.0/24", ""]) assert.throws(() => new AddressPool(bad), /IPv4/);
});
