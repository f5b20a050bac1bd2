import assert from "node:assert/strict";
import { test } from "node:test";
import { isServed } from "@trivium/domain";
import { type KubeClient, Namespace, Pod } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { type GrowthCase, growthOf, type PodWorld, placePod, podWorlds } from "@trivium/testkit";
import { ClusterBaseModel, ClusterServingRuntime, createOme, InferenceService, omeDefaults } from "../src/index.ts";

const namespace = "default";
const head = { apiVersion: "ome.io/v1beta1" } as const;
const nameOf = (i: number): string => `s${String(i).padStart(3, "0")}`;
const answers = [answer(isServed, async () => false)] as readonly Answered[];
const traits = {
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers", version: "4.60.0" },
  modelArchitecture: "SmallForCausalLM",
};

for (const world of podWorlds) {
  test(`growth: the change of one object among many ${world} services triggers its dependants only`, async () => {
    assert.deepEqual(await growthOf(caseOf(world), { small: 3, large: 24 }), []);
  });
}

function caseOf(world: PodWorld): GrowthCase {
  const { kinds, reconcilers } = createOme();
  return {
    kinds,
    reconcilers,
    answers,
    prepare,
    create: (client, i, settle) => createService(client, i, { world, settle }),
    changes: {
      "a service is edited": {
        apply: async (client, size) => {
          const body = { spec: { engine: { minReplicas: 2 } } };
          await client.patch(InferenceService, { namespace, name: nameOf(size - 1) }, { type: "merge", body });
        },
      },
      "a pod is labelled": {
        apply: async (client) => {
          const body = { metadata: { labels: { seen: "yes" } } };
          await client.patch(Pod, { namespace, name: `${nameOf(1)}-engine-0` }, { type: "merge", body });
        },
      },
      "a model is annotated": {
        apply: async (client) => {
          const body = { metadata: { annotations: { team: "a" } } };
          await client.patch(ClusterBaseModel, { name: nameOf(1) }, { type: "merge", body });
        },
      },
      "the runtime of all is edited": {
        apply: async (client) => {
          const body = { spec: { supportedModelFormats: [{ ...traits, autoSelect: true, priority: 2 }] } };
          await client.patch(ClusterServingRuntime, { name: "shared" }, { type: "merge", body });
        },
        dependants: (size) => size,
      },
    },
  };
}

async function prepare(client: KubeClient): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: omeDefaults.namespace } });
  const runner = { name: "ome-container", image: "example.com/serve", ports: [{ containerPort: 8080 }] };
  await client.create(ClusterServingRuntime, {
    ...head,
    kind: "ClusterServingRuntime",
    metadata: { name: "shared" },
    spec: { supportedModelFormats: [{ ...traits, autoSelect: true, priority: 1 }], engineConfig: { runner } },
  });
}

interface Placed {
  readonly world: PodWorld;
  readonly settle: () => Promise<void>;
}

async function createService(client: KubeClient, i: number, { world, settle }: Placed): Promise<void> {
  const name = nameOf(i);
  const storage = { storageUri: `hf://org/${name}`, path: `/mnt/data/models/${name}` };
  const spec = { ...traits, modelParameterSize: "1B", storage };
  await client.create(ClusterBaseModel, { ...head, kind: "ClusterBaseModel", metadata: { name }, spec });
  await client.create(InferenceService, {
    ...head,
    kind: "InferenceService",
    metadata: { name, namespace },
    spec: { model: { name }, engine: { minReplicas: 1 } },
  });
  await settle();
  await placePod(client, { namespace, name: `${name}-engine` }, world);
  await settle();
}
