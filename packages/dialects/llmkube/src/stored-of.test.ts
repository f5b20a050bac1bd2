import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { storedOf } from "./stored-of.ts";

const of = (kind: string, status: object) =>
  storedOf({
    apiVersion: "inference.llmkube.dev/v1alpha1",
    kind,
    metadata: { name: "a" },
    spec: {},
    status,
  } as KubeObject);

test("a Model reports its size and digest, and the pods of its services read it", () => {
  const readers = { "inference.llmkube.dev/model": "a" };
  assert.deepEqual(of("Model", { sourceContentLength: 7, sha256: "ab" }), { bytes: 7, sha256: "ab", readers });
  assert.equal(of("Model", { sourceContentLength: 7, weights: { bytes: 5 } })?.bytes, 5);
  assert.equal(of("InferenceService", {}), undefined);
});
