import assert from "node:assert/strict";
import { test } from "node:test";
import { diagnoseClaimSpace, sizeOfClaim } from "./claim-space.ts";

const gibi = 1024 ** 3;
const ask = (size: string | undefined, bytes: number | undefined, field?: string) =>
  diagnoseClaimSpace({ claim: "cache", size, weights: "Model chat", bytes, field });

test("a claim that is smaller than its weights is named, with the size that would do", () => {
  assert.deepEqual(ask("10Gi", 30 * gibi), {
    subject: "PersistentVolumeClaim cache",
    cause: "PersistentVolumeClaim cache has 10Gi, but the weights of Model chat need 30Gi",
    remedy: "expand it to at least 30Gi",
  });
  assert.equal(ask("10Gi", 10 * gibi + 1)?.remedy, "expand it to at least 10.1Gi");
  assert.equal(ask("1k", 1001, "spec.size")?.remedy, "raise spec.size to at least 1001");
});

test("nothing is said while the weights fit or too little is known", () => {
  for (const [size, bytes] of [
    ["10Gi", 10 * gibi],
    ["10Gi", undefined],
    ["10Gi", Number.NaN],
    [undefined, gibi],
    ["much", gibi],
    ["", gibi],
  ] as const)
    assert.equal(ask(size, bytes), undefined, `${size} ${bytes}`);
});

test("a claim has what its volume has, else what it requests", () => {
  const spec = { resources: { requests: { storage: "1Gi" } } };
  const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: {}, spec } as const;
  assert.equal(sizeOfClaim(claim), "1Gi");
  assert.equal(sizeOfClaim({ ...claim, status: { capacity: { storage: "2Gi" } } }), "2Gi");
  assert.equal(sizeOfClaim({ ...claim, spec: {} }), undefined);
});
