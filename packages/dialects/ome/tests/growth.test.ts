import { describe } from "node:test";
import { isServed } from "@trivium/domain";
import { type KubeClient, Namespace } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import {
  type ManyServices,
  nameOfObject,
  growthNamespace as namespace,
  testGrowth,
  testTakeOver,
} from "@trivium/testkit";
import { ClusterBaseModel, ClusterServingRuntime, createOme, InferenceService, omeDefaults } from "../src/index.ts";

const head = { apiVersion: "ome.io/v1beta1" } as const;
const traits = {
  modelFormat: { name: "safetensors", version: "1.0.0" },
  modelFramework: { name: "transformers", version: "4.60.0" },
  modelArchitecture: "SmallForCausalLM",
};
const { kinds, reconcilers } = createOme();
const answers = [answer(isServed, async () => false)] as readonly Answered[];

describe("services that share a runtime", () => {
  const services: ManyServices = {
    kinds,
    reconcilers,
    answers,
    prepare,
    createService: (client, name) => createService(client, name),
    edit: { kind: InferenceService, body: { spec: { engine: { minReplicas: 2 } } } },
    restart: { kind: InferenceService, body: { spec: { engine: { runner: { name: "ome-container", image: "x" } } } } },
    vary: (pick) => ({
      spec: {
        engine: {
          minReplicas: pick.one([1, 2]),
          maxReplicas: pick.one([2, 4]),
          ...(pick.flip() ? { labels: { team: pick.one(["a", "b"]) } } : {}),
          ...(pick.flip()
            ? { runner: { name: "ome-container", env: [{ name: "A", value: pick.one(["b", "c"]) }] } }
            : {}),
          ...(pick.flip() ? { maxUnavailable: 1 } : {}),
        },
        ...(pick.flip()
          ? { router: { minReplicas: 1, runner: { name: "router", image: "example.com/router:1" } } }
          : {}),
      },
    }),
    changes: {
      "a model is annotated": {
        apply: async (client, size) => {
          const body = { metadata: { annotations: { team: "a" } } };
          await client.patch(ClusterBaseModel, { name: nameOfObject(size - 1) }, { type: "merge", body });
        },
      },
      "the runtime of all is edited": {
        apply: async (client, size) => {
          const body = { spec: { supportedModelFormats: [{ ...traits, autoSelect: true, priority: size }] } };
          await client.patch(ClusterServingRuntime, { name: "shared" }, { type: "merge", body });
        },
        dependants: (size) => size,
      },
    },
  };
  testGrowth(services);
  testTakeOver(services);
});

describe("services that wait for the runtime that each of them names", () => {
  testGrowth({
    kinds,
    reconcilers,
    answers,
    prepare: prepareNamespace,
    createService: async (client, name) => {
      const deployment = await createService(client, name, name);
      await createRuntime(client, name);
      return deployment;
    },
    edit: { kind: InferenceService, body: { spec: { engine: { minReplicas: 2 } } } },
    changes: {
      "a runtime is disabled": {
        apply: async (client, size) => {
          const body = { spec: { disabled: true } };
          await client.patch(ClusterServingRuntime, { name: nameOfObject(size - 1) }, { type: "merge", body });
        },
      },
      "a runtime is created": { apply: (client, size) => createRuntime(client, `another-${size}`) },
    },
  });
});

const runner = { name: "ome-container", image: "example.com/serve", ports: [{ containerPort: 8080 }] };
const runtimeSpec = {
  supportedModelFormats: [{ ...traits, autoSelect: true, priority: 1 }],
  engineConfig: { runner },
};

async function prepareNamespace(client: KubeClient): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: omeDefaults.namespace } });
}

async function prepare(client: KubeClient): Promise<void> {
  await prepareNamespace(client);
  await createRuntime(client, "shared");
}

async function createRuntime(client: KubeClient, name: string): Promise<void> {
  const kind = "ClusterServingRuntime";
  await client.create(ClusterServingRuntime, { ...head, kind, metadata: { name }, spec: runtimeSpec });
}

async function createService(client: KubeClient, name: string, runtime?: string): Promise<string> {
  const storage = { storageUri: `hf://org/${name}`, path: `/mnt/data/models/${name}` };
  const spec = { ...traits, modelParameterSize: "1B", storage };
  await client.create(ClusterBaseModel, { ...head, kind: "ClusterBaseModel", metadata: { name }, spec });
  await client.create(InferenceService, {
    ...head,
    kind: "InferenceService",
    metadata: { name, namespace },
    spec: {
      model: { name },
      engine: { minReplicas: 1 },
      ...(runtime === undefined ? {} : { runtime: { name: runtime } }),
    },
  });
  return `${name}-engine`;
}
