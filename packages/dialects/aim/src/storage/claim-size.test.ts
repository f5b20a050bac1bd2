import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bytesOf, claimSize } from "./claim-size.ts";

test("sizes of the vectors", () => {
  const vectors: [string, number, string][] = [
    ["0.5Gi", 10, "1Gi"],
    ["0.5Gi", 200, "2Gi"],
    ["16Gi", 10, "18Gi"],
    ["10Gi", 0, "10Gi"],
    ["8.5Gi", 10, "10Gi"],
    ["1", 0, "1Gi"],
    ["1073741825", 0, "2Gi"],
    ["500m", 0, "1Gi"],
    ["1e12", 10, "1025Gi"],
  ];
  for (const [size, headroom, wanted] of vectors) assert.equal(claimSize(bytesOf(size) ?? 0n, headroom), wanted, size);
});

test("an invalid quantity has no bytes", () => {
  for (const text of [undefined, "", "much", "-1Gi", "0", "1E30"]) assert.equal(bytesOf(text), undefined, text);
});

test("a claim is always large enough, and wastes less than 1Gi", () => {
  const gib = 1024n ** 3n;
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 50n }), fc.integer({ min: 0, max: 500 }), (bytes, headroom) => {
      const claimed = BigInt(claimSize(bytes, headroom).replace("Gi", "")) * gib;
      const wanted = (bytes * BigInt(100 + headroom)) / 100n;
      assert.ok(claimed >= wanted && claimed < wanted + gib + 1n);
    }),
  );
});
