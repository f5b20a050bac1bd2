import assert from "node:assert/strict";
import { test } from "node:test";
import { isServed, servedModels } from "@trivium/domain";
import { type KubeClient, Namespace, Node, Pod } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { type GrowthCase, growthOf, type PodWorld, placePod, podWorlds } from "@trivium/testkit";
import { AIMClusterModel, AIMClusterServiceTemplate, AIMService, aimDefaults, createAim } from "../src/index.ts";

const namespace = "default";
const head = { apiVersion: "aim.silogen.ai/v1alpha1" } as const;
const nameOf = (i: number): string => `s${String(i).padStart(3, "0")}`;
const answers = [answer(isServed, async () => false), answer(servedModels, async () => ["m"])] as readonly Answered[];

for (const world of podWorlds) {
  test(`growth: the change of one object among many ${world} services triggers its dependants only`, async () => {
    assert.deepEqual(await growthOf(caseOf(world), { small: 3, large: 24 }), []);
  });
}

function caseOf(world: PodWorld): GrowthCase {
  const { kinds, reconcilers } = createAim();
  const annotate = { metadata: { annotations: { team: "a" } } };
  return {
    kinds,
    reconcilers,
    answers,
    prepare,
    create: (client, i, settle) => createService(client, i, { world, settle }),
    changes: {
      "a service is edited": {
        apply: async (client, size) => {
          const body = { spec: { replicas: 2 } };
          await client.patch(AIMService, { namespace, name: nameOf(size - 1) }, { type: "merge", body });
        },
      },
      "a pod is labelled": {
        apply: async (client) => {
          const body = { metadata: { labels: { seen: "yes" } } };
          const [pod] = (await client.list(Pod, { namespace })).items;
          await client.patch(Pod, { namespace, name: pod?.metadata.name ?? "" }, { type: "merge", body });
        },
      },
      "a model is annotated": {
        apply: async (client) =>
          void (await client.patch(AIMClusterModel, { name: nameOf(1) }, { type: "merge", body: annotate })),
      },
      "a template is annotated": {
        apply: async (client) =>
          void (await client.patch(AIMClusterServiceTemplate, { name: nameOf(1) }, { type: "merge", body: annotate })),
      },
      "a node is cordoned": {
        apply: async (client) =>
          void (await client.patch(Node, { name: "gpu" }, { type: "merge", body: { spec: { unschedulable: true } } })),
        // Every template and every service compares itself with the nodes.
        dependants: (size) => 2 * size,
      },
    },
  };
}

async function prepare(client: KubeClient): Promise<void> {
  const name = aimDefaults.operatorNamespace;
  if (name !== namespace) await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const capacity = { cpu: "64", memory: "512Gi", pods: "500", "amd.com/gpu": "64" };
  await client.create(Node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "gpu", labels: { "amd.com/gpu.device-id": "74a1" } },
    status: { capacity, allocatable: capacity },
  });
}

interface Placed {
  readonly world: PodWorld;
  readonly settle: () => Promise<void>;
}

async function createService(client: KubeClient, i: number, { world, settle }: Placed): Promise<void> {
  const name = nameOf(i);
  await client.create(AIMClusterModel, {
    ...head,
    kind: "AIMClusterModel",
    metadata: { name },
    spec: { image: `registry.example/aim/${name}:1.0.0`, discovery: { enabled: false } },
  });
  await client.create(AIMClusterServiceTemplate, {
    ...head,
    kind: "AIMClusterServiceTemplate",
    metadata: { name },
    spec: {
      modelName: name,
      metric: "latency",
      precision: "fp8",
      gpuSelector: { model: "MI300X", count: 1, resourceName: "amd.com/gpu" },
      type: "optimized",
      modelSources: [{ name: `acme/${name}`, sourceUri: `hf://acme/${name}`, size: "16Gi" }],
    },
  });
  await client.create(AIMService, {
    ...head,
    kind: "AIMService",
    metadata: { name, namespace },
    spec: { model: { ref: name } },
  });
  await settle();
  await placePod(client, { namespace, name: `${name}-predictor` }, world);
  await settle();
}
