import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { storedOf } from "./stored-of.ts";

const of = (kind: string, status?: object) =>
  storedOf({ apiVersion: "aim.silogen.ai/v1alpha1", kind, metadata: { name: "a" }, spec: {}, status } as KubeObject);

test("a model cache reports the size of its weights and its claim", () => {
  const status = { discoveredSizeBytes: 2_991_200, persistentVolumeClaim: "a-cache" };
  assert.deepEqual(of("AIMModelCache", status), { bytes: 2_991_200, claim: "a-cache" });
  assert.equal(of("AIMModelCache", { progress: { totalBytes: 7 } })?.bytes, 7);
  assert.equal(of("AIMModel", status), undefined);
});
