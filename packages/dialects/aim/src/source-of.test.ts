import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import { sourceOf } from "./source-of.ts";

const of = (kind: string, spec: object): string | undefined =>
  sourceOf({ apiVersion: "aim.silogen.ai/v1alpha1", kind, metadata: { name: "a" }, spec } as KubeObject);

test("a model is its image, unless it names weights; a cache is what it copies, also from a claim", () => {
  const weights = [{ modelId: "o/r", sourceUri: "hf://o/r" }];
  assert.deepEqual(
    [
      of("AIMModel", { image: "registry/llama:1" }),
      of("AIMClusterModel", { image: "registry/base:1", modelSources: weights }),
      of("AIMClusterImage", { image: "registry/old:1" }),
      of("AIMModelCache", { sourceUri: "pvc://claim/llama" }),
      of("AIMService", { model: { custom: { modelSources: weights } } }),
      of("AIMService", { model: { ref: "llama" } }),
      of("AIMServiceTemplate", { modelName: "llama" }),
    ],
    ["registry/llama:1", "hf://o/r", "registry/old:1", "pvc://claim/llama", "hf://o/r", undefined, undefined],
  );
});
