import assert from "node:assert/strict";
import { test } from "node:test";
import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import { type KubeClient, PersistentVolumeClaim } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { growthOfKind, type ObjectsOf, podWorlds, untriedKinds } from "@trivium/testkit";
import { createLlmkube, InferenceService, Model } from "../src/index.ts";
import { GPUQuota } from "../src/kinds/gpu-quota.ts";
import { LoRAAdapter } from "../src/kinds/lora-adapter.ts";

const answers = [
  answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
  answer(modelHeader, async () => undefined),
  answer(servedModels, async () => ["m"]),
] as readonly Answered[];

/** The objects of one name; the last is the one that changes. */
const kinds: Readonly<Record<string, ObjectsOf>> = {
  "Models of a URL": (name) => [{ kind: Model, spec: { source: `https://models.example/${name}.gguf` } }],
  "Models on one claim": (name) => [{ kind: Model, spec: { source: `pvc://weights/${name}.gguf` } }],
  "adapters of services": (name) => [
    { kind: Model, spec: { source: `https://models.example/${name}.gguf` } },
    { kind: InferenceService, spec: { modelRef: name } },
    { kind: LoRAAdapter, spec: { inferenceServiceRef: { name }, name: "law", path: "/adapters/law.gguf" } },
  ],
  "quotas of other namespaces": (name) => [{ kind: GPUQuota, spec: { namespaceRef: name, gpuCount: 1 } }],
  "Models in use": (name) => [
    { kind: InferenceService, spec: { modelRef: name } },
    { kind: Model, spec: { source: `https://models.example/${name}.gguf` } },
  ],
};

const { kinds: all, reconcilers } = createLlmkube();
const operator = { kinds: all, reconcilers, answers, prepare };

test("growth is tried for every kind", () => {
  // Services have tests of their own, in growth.test.ts.
  assert.deepEqual(untriedKinds(all, Object.values(kinds), [InferenceService]), []);
});

for (const [name, objectsOf] of Object.entries(kinds))
  for (const world of podWorlds)
    test(`growth: the change of one of many ${name}, ${world}, triggers its dependants only`, async () => {
      assert.deepEqual(await growthOfKind(operator, objectsOf, world), []);
    });

async function prepare(client: KubeClient): Promise<void> {
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "weights", namespace: "default" },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
}
