import assert from "node:assert/strict";
import { test } from "node:test";
import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import { Deployment, type KubeClient, Pod } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { type GrowthCase, growthOf } from "@trivium/testkit";
import { createLlmkube, InferenceService, Model } from "../src/index.ts";

type PodStatus = NonNullable<Pod["status"]>;
const namespace = "default";
const apiVersion = "inference.llmkube.dev/v1alpha1";
const nameOf = (i: number): string => `s${String(i).padStart(3, "0")}`;

const answers = [
  answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
  answer(modelHeader, async () => undefined),
  answer(servedModels, async () => ["m"]),
] as readonly Answered[];

/** How the pods of a world are. */
const worlds: Readonly<Record<string, PodStatus>> = {
  waiting: {
    phase: "Pending",
    conditions: [
      {
        type: "PodScheduled",
        status: "False",
        reason: "Unschedulable",
        message: "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.",
      },
    ],
  },
  failing: {
    phase: "Running",
    containerStatuses: [
      {
        name: "llama-server",
        image: "i",
        imageID: "",
        ready: false,
        restartCount: 3,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 1, reason: "Error", message: "boom" } },
      },
    ],
  },
  running: {
    phase: "Running",
    podIP: "127.0.0.1",
    conditions: [{ type: "Ready", status: "True" }],
    containerStatuses: [{ name: "llama-server", image: "i", imageID: "", ready: true, restartCount: 0, state: {} }],
  },
};

for (const [name, status] of Object.entries(worlds)) {
  test(`growth: the change of one object among many ${name} services triggers its dependants only`, async () => {
    assert.deepEqual(await growthOf(caseOf(status), { small: 3, large: 24 }), []);
  });
}

function caseOf(status: PodStatus): GrowthCase {
  const { kinds, reconcilers } = createLlmkube();
  const edit = (client: KubeClient, i: number, body: object) =>
    client.patch(InferenceService, { namespace, name: nameOf(i) }, { type: "merge", body: body as never });
  return {
    kinds,
    reconcilers,
    answers,
    create: (client, i, settle) => createService(client, i, { status, settle }),
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
  readonly status: PodStatus;
  readonly settle: () => Promise<void>;
}

async function createService(client: KubeClient, i: number, { status, settle }: Placed): Promise<void> {
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
  const { spec } = await client.get(Deployment, { namespace, name: nameOf(i) });
  const template = spec?.template;
  await client.create(Pod, {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...template?.metadata, name: `${nameOf(i)}-0`, namespace },
    spec: template?.spec as NonNullable<Pod["spec"]>,
  });
  const body = { status } as never;
  await client.patch(Pod, { namespace, name: `${nameOf(i)}-0` }, { type: "merge", body }, { subresource: "status" });
  await settle();
}
