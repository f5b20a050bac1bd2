import assert from "node:assert/strict";
import { test } from "node:test";
import { isServed } from "@trivium/domain";
import { type KubeClient, Namespace, PersistentVolumeClaim } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { growthOfKind, type ObjectsOf, podWorlds } from "@trivium/testkit";
import { BaseModel, BenchmarkJob, ClusterBaseModel, createOme, FineTunedWeight, omeDefaults } from "../src/index.ts";

const namespace = "default";
const answers = [answer(isServed, async () => false)] as readonly Answered[];

const modelSpec = (name: string) => ({
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers", version: "4.60.0" },
  modelArchitecture: "SmallForCausalLM",
  modelParameterSize: "1B",
  storage: { storageUri: `hf://org/${name}`, path: `/mnt/data/models/${name}` },
});

/** The objects of one name; the last is the one that changes. */
const kinds: Readonly<Record<string, ObjectsOf>> = {
  models: (name) => [{ kind: BaseModel, spec: modelSpec(name) }],
  "cluster models": (name) => [{ kind: ClusterBaseModel, spec: modelSpec(name) }],
  "models on a claim": (name) => [
    { kind: BaseModel, spec: { ...modelSpec(name), storage: { storageUri: `pvc://results/${name}` } } },
  ],
  "fine-tuned weights": (name) => [
    { kind: BaseModel, spec: modelSpec(name) },
    {
      kind: FineTunedWeight,
      spec: {
        baseModelRef: { name },
        modelType: "LoRA",
        hyperParameters: { strategy: "lora", lora_r: 16 },
        storage: { storageUri: `hf://org/${name}-tuned` },
      },
    },
  ],
  benchmarks: (name) => [
    {
      kind: BenchmarkJob,
      spec: {
        endpoint: { endpoint: { url: `http://${name}.example:8080`, apiFormat: "openai", modelName: name } },
        task: "text-to-text",
        trafficScenarios: ["D(20,20)"],
        numConcurrency: [1],
        maxTimePerIteration: 1,
        maxRequestsPerIteration: 12,
        outputLocation: { storageUri: `pvc://results/${name}` },
      },
    },
  ],
};

const { kinds: all, reconcilers } = createOme();
const operator = { kinds: all, reconcilers, answers, prepare };

for (const [name, objectsOf] of Object.entries(kinds))
  for (const world of podWorlds)
    test(`growth: the change of one of many ${name}, ${world}, triggers its dependants only`, async () => {
      assert.deepEqual(await growthOfKind(operator, objectsOf, world), []);
    });

async function prepare(client: KubeClient): Promise<void> {
  const name = omeDefaults.namespace;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "results", namespace },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
}
