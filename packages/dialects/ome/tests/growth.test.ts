import { isServed } from "@trivium/domain";
import { type KubeClient, Namespace } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import { nameOfService, growthNamespace as namespace, testGrowth } from "@trivium/testkit";
import { ClusterBaseModel, ClusterServingRuntime, createOme, InferenceService, omeDefaults } from "../src/index.ts";

const head = { apiVersion: "ome.io/v1beta1" } as const;
const traits = {
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers", version: "4.60.0" },
  modelArchitecture: "SmallForCausalLM",
};
const { kinds, reconcilers } = createOme();

testGrowth({
  kinds,
  reconcilers,
  answers: [answer(isServed, async () => false)] as readonly Answered[],
  prepare,
  createService,
  edit: { kind: InferenceService, body: { spec: { engine: { minReplicas: 2 } } } },
  changes: {
    "a model is annotated": {
      apply: async (client) => {
        const body = { metadata: { annotations: { team: "a" } } };
        await client.patch(ClusterBaseModel, { name: nameOfService(1) }, { type: "merge", body });
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
});

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

async function createService(client: KubeClient, name: string): Promise<string> {
  const storage = { storageUri: `hf://org/${name}`, path: `/mnt/data/models/${name}` };
  const spec = { ...traits, modelParameterSize: "1B", storage };
  await client.create(ClusterBaseModel, { ...head, kind: "ClusterBaseModel", metadata: { name }, spec });
  await client.create(InferenceService, {
    ...head,
    kind: "InferenceService",
    metadata: { name, namespace },
    spec: { model: { name }, engine: { minReplicas: 1 } },
  });
  return `${name}-engine`;
}
