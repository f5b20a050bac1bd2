import assert from "node:assert/strict";
import { test } from "node:test";
import { isServed } from "@trivium/domain";
import { ConfigMap, type KubeClient, Namespace, Node, PersistentVolumeClaim } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import {
  type GrowthCase,
  growthNode,
  growthOfKind,
  nameOfObject,
  type ObjectsOf,
  podWorlds,
  untriedKinds,
} from "@trivium/testkit";
import {
  BaseModel,
  BenchmarkJob,
  ClusterBaseModel,
  ClusterServingRuntime,
  createOme,
  FineTunedWeight,
  InferenceService,
  omeDefaults,
} from "../src/index.ts";
import { AcceleratorClass } from "../src/kinds/accelerator-class.ts";
import { ServingRuntime } from "../src/kinds/serving-runtime.ts";
import { type ModelName, modelKeyOf, modelLabelOf, nodeStatusLabel } from "../src/names.ts";

const namespace = "default";
const answers = [answer(isServed, async () => false)] as readonly Answered[];

const modelSpec = (name: string) => ({
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers", version: "4.60.0" },
  modelArchitecture: "SmallForCausalLM",
  modelParameterSize: "1B",
  storage: { storageUri: `hf://org/${name}`, path: `/mnt/data/models/${name}` },
});

const runtimeSpec = (name: string) => {
  const { modelFormat, modelFramework, modelArchitecture } = modelSpec(name);
  const runner = { name: "ome-container", image: "example.com/serve", ports: [{ containerPort: 8080 }] };
  const supportedModelFormats = [{ modelFormat, modelFramework, modelArchitecture, autoSelect: true }];
  return { supportedModelFormats, engineConfig: { runner } };
};

/** The objects of one name; the last is the one that changes. */
const kinds: Readonly<Record<string, ObjectsOf>> = {
  models: (name) => [{ kind: BaseModel, spec: modelSpec(name) }],
  "cluster models": (name) => [{ kind: ClusterBaseModel, spec: modelSpec(name) }],
  "models on a claim": (name) => [
    { kind: BaseModel, spec: { ...modelSpec(name), storage: { storageUri: `pvc://results/${name}` } } },
  ],
  runtimes: (name) => [{ kind: ServingRuntime, spec: runtimeSpec(name) }],
  "cluster runtimes": (name) => [{ kind: ClusterServingRuntime, spec: runtimeSpec(name) }],
  "accelerator classes": (name) => [
    {
      kind: AcceleratorClass,
      spec: { discovery: { nodeSelector: { accelerator: name } }, capabilities: { memoryGB: "80Gi" } },
    },
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

/** The agent of a node reports on all models that it stores in one ConfigMap, and labels its node with their states. */
const agentChanges: GrowthCase["changes"] = {
  "an agent reports on all models": {
    apply: (client, size) => report(client, size, "Updating"),
    dependants: (size) => size,
  },
  "an agent reports on one model": { apply: (client) => report(client, 1, "Failed") },
};

test("growth is tried for every kind", () => {
  // Services have tests of their own, in growth.test.ts.
  assert.deepEqual(untriedKinds(all, Object.values(kinds), [InferenceService]), []);
});

for (const [name, objectsOf] of Object.entries(kinds))
  for (const world of podWorlds)
    test(`growth: the change of one of many ${name}, ${world}, triggers its dependants only`, async () => {
      assert.deepEqual(await growthOfKind({ ...operator, changes: agentChanges }, objectsOf, world), []);
    });

/** A model of each scope and tuned weights of the name: whichever of them exists. */
const modelsOf = (name: string): ModelName[] => [
  { is: "model", namespace, name },
  { is: "model", name },
  { is: "weights", name },
];

async function report(client: KubeClient, size: number, status: string): Promise<void> {
  const models = Array.from({ length: size }, (_, i) => nameOfObject(i)).flatMap((name) =>
    modelsOf(name).map((model) => ({ name, model })),
  );
  const data = Object.fromEntries(
    models.map(({ name, model }) => [modelKeyOf(model), JSON.stringify({ name, status })]),
  );
  const ref = { namespace: omeDefaults.namespace, name: growthNode };
  await client.patch(ConfigMap, ref, { type: "merge", body: { data } });
  const labels = Object.fromEntries(models.map(({ model }) => [modelLabelOf(model), status]));
  await client.patch(Node, { name: growthNode }, { type: "merge", body: { metadata: { labels } } });
}

async function prepare(client: KubeClient): Promise<void> {
  const name = omeDefaults.namespace;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await client.create(ConfigMap, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: growthNode, namespace: name, labels: { [nodeStatusLabel]: "true" } },
  });
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "results", namespace },
    spec: { accessModes: ["ReadWriteMany"], resources: { requests: { storage: "1Gi" } } },
  });
}
