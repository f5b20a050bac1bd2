import { describe } from "node:test";
import { modelHeader, servedModels, sourceHead } from "@trivium/domain";
import type { KubeClient } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import {
  type ManyServices,
  nameOfObject,
  growthNamespace as namespace,
  testGrowth,
  testTakeOver,
} from "@trivium/testkit";
import { createLlmkube, InferenceService, Model } from "../src/index.ts";
import { GPUQuota } from "../src/kinds/gpu-quota.ts";

const apiVersion = "inference.llmkube.dev/v1alpha1";
const { kinds, reconcilers } = createLlmkube();

const services: ManyServices = {
  kinds,
  reconcilers,
  answers: [
    answer(sourceHead, async () => ({ at: 0, version: "v1", length: 4_000_000 })),
    answer(modelHeader, async () => undefined),
    answer(servedModels, async () => ["m"]),
  ] as readonly Answered[],
  createService,
  edit: { kind: InferenceService, body: { spec: { contextSize: 2048 } } },
  vary: (pick) => ({
    spec: {
      contextSize: pick.one([512, 2048, 8192]),
      replicas: pick.one([1, 2]),
      ...(pick.flip()
        ? { runtime: pick.one(["llamacpp", "vllm", "generic"]), image: "registry.example/engine:1" }
        : {}),
      ...(pick.flip() ? { env: [{ name: "A", value: pick.one(["b", "c"]) }] } : {}),
      ...(pick.flip() ? { endpoint: { port: pick.one([8080, 9090]) } } : {}),
      ...(pick.flip() ? { autoscaling: { minReplicas: 1, maxReplicas: pick.one([2, 4]) } } : {}),
      ...(pick.flip() ? { extraArgs: ["--verbose"] } : {}),
    },
  }),
  changes: {
    "a Model is annotated": {
      apply: async (client, size) => {
        const body = { metadata: { annotations: { team: "a" } } };
        await client.patch(Model, { namespace, name: nameOfObject(size - 1) }, { type: "merge", body });
      },
    },
    "the first in the queue is suspended": {
      apply: (client) => suspendFirst(client, true),
      undo: (client) => suspendFirst(client, false),
      // The others move up: their positions are written.
      dependants: (size) => size,
    },
  },
};

testGrowth(services);
testTakeOver(services);

describe("services under a quota", () => {
  testGrowth({ ...services, prepare: createQuota });
});

async function createQuota(client: KubeClient): Promise<void> {
  await client.create(GPUQuota, {
    apiVersion,
    kind: "GPUQuota",
    metadata: { name: "team", namespace },
    spec: { namespaceRef: namespace, gpuCount: 1_000 },
  });
}

async function suspendFirst(client: KubeClient, suspend: boolean): Promise<void> {
  const body = { spec: { suspend } };
  await client.patch(InferenceService, { namespace, name: nameOfObject(0) }, { type: "merge", body });
}

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
