import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { sourceOf } from "./source-of.ts";

const of = (kind: string, spec: object): string | undefined =>
  sourceOf({ apiVersion: "ome.io/v1beta1", kind, metadata: { name: "a" }, spec } as KubeObject);

test("models of a namespace and of the cluster, and fine-tuned weights, name their storage wherever it is", () => {
  const storage = { storageUri: "pvc://models/llama" };
  for (const kind of ["BaseModel", "ClusterBaseModel", "FineTunedWeight"])
    assert.equal(of(kind, { storage }), "pvc://models/llama", kind);
  assert.equal(of("BaseModel", {}), undefined);
  assert.equal(of("ServingRuntime", { storage }), undefined);
});
