import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import type { KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { nameOfService, growthNamespace as namespace, testGrowth } from "@trivium/testkit";
import { createLlmkube, InferenceService, Model } from "../src/index.ts";

const apiVersion = "inference.llmkube.dev/v1alpha1";
const { kinds, reconcilers } = createLlmkube();

testGrowth({
  kinds,
  reconcilers,
  answers: [
    answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
    answer(modelHeader, async () => undefined),
    answer(servedModels, async () => ["m"]),
  ] as readonly Answered[],
  createService,
  edit: { kind: InferenceService, body: { spec: { contextSize: 2048 } } },
  changes: {
    "a Model is annotated": {
      apply: async (client) => {
        const body = { metadata: { annotations: { team: "a" } } };
        await client.patch(Model, { namespace, name: nameOfService(1) }, { type: "merge", body });
      },
    },
    "the first in the queue is suspended": {
      apply: async (client) => {
        const body = { spec: { suspend: true } };
        await client.patch(InferenceService, { namespace, name: nameOfService(0) }, { type: "merge", body });
      },
      // The others move up: their positions are written.
      dependants: (size) => size,
    },
  },
});

async function createService(client: KubeClient, name: string): Promise<string> {
  const metadata = { name, namespace };
  const gpu = { enabled: true, count: 1, vendor: "nvidia" as const };
  await client.create(Model, {
    apiVersion,
    kind: "Model",
    metadata,
    spec: { source: `https://models.example/${name}.gguf`, hardware: { accelerator: "cuda", gpu } },
  });
  await client.create(InferenceService, {
    apiVersion,
    kind: "InferenceService",
    metadata,
    spec: { modelRef: name },
  });
  return name;
}
