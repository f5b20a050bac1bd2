import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOfNumber, blockOfNetwork, isInside, type ServiceNetwork } from "./service-network.ts";

test("a block begins and ends where its bits say", () => {
  const block = blockOfNetwork("127.200.32.0/20");
  assert.equal(block.size, 4096);
  assert.equal(addressOfNumber(block.base + 2), "127.200.32.2");
  assert.equal(addressOfNumber(block.base + block.size - 2), "127.200.47.254");
  const inside = ["127.200.32.0", "127.200.47.255", "127.200.40.1"].map((address) => isInside(block, address));
  assert.deepEqual(inside, [true, true, true]);
  const outside = ["127.200.31.255", "127.200.48.0", "127.96.0.2", "127.200.320.1", "::1", ""];
  for (const address of outside) assert.equal(isInside(block, address), false, address);
});

test("the upper half of all addresses is counted without a sign", () => {
  assert.equal(addressOfNumber(blockOfNetwork("240.1.0.0/16").base + 2), "240.1.0.2");
  assert.equal(isInside(blockOfNetwork("240.1.0.0/16"), "240.1.255.1"), true);
});

test("what is no block is refused", () => {
  for (const wrong of ["10.96.0.0/31", "10.96.0.0/4", "10.960.0.0/16", "10.96.0.0/x"])
    assert.throws(
      () => blockOfNetwork(wrong as ServiceNetwork),
      /is not a valid IPv4 block \(expected e\.g\. 10\.96\.0\.0\/16\)/,
    );
});
