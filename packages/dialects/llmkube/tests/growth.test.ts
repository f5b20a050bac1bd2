import assert from "node:assert/strict";
import { test } from "node:test";
import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import { type KubeClient, Pod } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { type GrowthCase, growthOf, type PodWorld, placePod, podWorlds } from "@trivium/testkit";
import { createLlmkube, InferenceService, Model } from "../src/index.ts";

const namespace = "default";
const apiVersion = "inference.llmkube.dev/v1alpha1";
const nameOf = (i: number): string => `s${String(i).padStart(3, "0")}`;

const answers = [
  answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
  answer(modelHeader, async () => undefined),
  answer(servedModels, async () => ["m"]),
] as readonly Answered[];

for (const world of podWorlds) {
  test(`growth: the change of one object among many ${world} services triggers its dependants only`, async () => {
    assert.deepEqual(await growthOf(caseOf(world), { small: 3, large: 24 }), []);
  });
}

function caseOf(world: PodWorld): GrowthCase {
  const { kinds, reconcilers } = createLlmkube();
  const edit = (client: KubeClient, i: number, body: object) =>
    client.patch(InferenceService, { namespace, name: nameOf(i) }, { type: "merge", body: body as never });
  return {
    kinds,
    reconcilers,
    answers,
    create: (client, i, settle) => createService(client, i, { world, settle }),
    changes: {
      "a service is edited": {
        apply: async (client, size) => void (await edit(client, size - 1, { spec: { contextSize: 2048 } })),
      },
      "a pod is labelled": {
        apply: async (client) => {
          const body = { metadata: { labels: { seen: "yes" } } };
          await client.patch(Pod, { namespace, name: `${nameOf(1)}-0` }, { type: "merge", body });
        },
      },
      "a Model is annotated": {
        apply: async (client) => {
          const body = { metadata: { annotations: { team: "a" } } };
          await client.patch(Model, { namespace, name: nameOf(1) }, { type: "merge", body });
        },
      },
      "the first in the queue is suspended": {
        apply: async (client) => void (await edit(client, 0, { spec: { suspend: true } })),
        // The others move up: their positions are written.
        dependants: (size) => size,
      },
    },
  };
}

interface Placed {
  readonly world: PodWorld;
  readonly settle: () => Promise<void>;
}

async function createService(client: KubeClient, i: number, { world, settle }: Placed): Promise<void> {
  const metadata = { name: nameOf(i), namespace };
  const gpu = { enabled: true, count: 1, vendor: "nvidia" as const };
  await client.create(Model, {
    apiVersion,
    kind: "Model",
    metadata,
    spec: { source: `https://models.example/${nameOf(i)}.gguf`, hardware: { accelerator: "cuda", gpu } },
  });
  await client.create(InferenceService, {
    apiVersion,
    kind: "InferenceService",
    metadata,
    spec: { modelRef: nameOf(i) },
  });
  await settle();
  await placePod(client, { namespace, name: nameOf(i) }, world);
  await settle();
}
