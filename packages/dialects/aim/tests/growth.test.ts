import { describe } from "node:test";
import { isServed, servedModels } from "@trivium/domain";
import { type AnyObject, type Kind, type KubeClient, Namespace, Node } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import {
  type ManyServices,
  nameOfObject,
  growthNamespace as namespace,
  testGrowth,
  testTakeOver,
} from "@trivium/testkit";
import { EaiClusterModel, EaiClusterServiceTemplate, EaiService } from "../src/eai/kinds.ts";
import { toNewer } from "../src/eai/objects.ts";
import {
  AIMClusterModel,
  AIMClusterServiceTemplate,
  AIMService,
  aimDefaults,
  aimEai,
  createAim,
} from "../src/index.ts";

const head = { apiVersion: "aim.silogen.ai/v1alpha1" } as const;
const { kinds, reconcilers } = createAim();
const annotate = { type: "merge", body: { metadata: { annotations: { team: "a" } } } } as const;

const services: ManyServices = {
  kinds,
  reconcilers,
  answers: [answer(isServed, async () => false), answer(servedModels, async () => ["m"])] as readonly Answered[],
  prepare,
  createService,
  edit: { kind: AIMService, body: { spec: { replicas: 2 } } },
  restart: { kind: AIMService, body: { spec: { env: [{ name: "A", value: "b" }] } } },
  vary: (pick) => ({
    spec: {
      replicas: pick.one([1, 2]),
      ...(pick.flip() ? { env: [{ name: "A", value: pick.one(["b", "c"]) }] } : {}),
      ...(pick.flip() ? { caching: { mode: "Shared" } } : {}),
      ...(pick.flip() ? { resources: { requests: { cpu: pick.one(["2", "4"]) } } } : {}),
    },
  }),
  changes: {
    "a model is annotated": {
      apply: async (client, size) =>
        void (await client.patch(AIMClusterModel, { name: nameOfObject(size - 1) }, annotate)),
    },
    "a template is annotated": {
      apply: async (client, size) =>
        void (await client.patch(AIMClusterServiceTemplate, { name: nameOfObject(size - 1) }, annotate)),
    },
    "a node is cordoned": {
      apply: (client) => cordon(client, true),
      undo: (client) => cordon(client, false),
      // Every template and every service compares itself with the nodes.
      dependants: (size) => 2 * size,
    },
  },
};

testGrowth(services);
testTakeOver(services);

describe("in the newer group", () => {
  const { kinds, reconcilers } = aimEai;
  const { edit, restart = edit } = services;
  testTakeOver({
    ...services,
    kinds,
    reconcilers,
    createService: createNewerService,
    edit: { ...edit, kind: EaiService },
    restart: { ...restart, kind: EaiService },
  });
});

async function cordon(client: KubeClient, unschedulable: boolean): Promise<void> {
  await client.patch(Node, { name: "gpu" }, { type: "merge", body: { spec: { unschedulable } } });
}

async function prepare(client: KubeClient): Promise<void> {
  const name = aimDefaults.operatorNamespace;
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const capacity = { cpu: "64", memory: "512Gi", pods: "500", "amd.com/gpu": "64" };
  await client.create(Node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "gpu", labels: { "amd.com/gpu.device-id": "74a1" } },
    status: { capacity, allocatable: capacity },
  });
}

const manifests = (name: string) =>
  [
    {
      ...head,
      kind: "AIMClusterModel",
      metadata: { name },
      spec: { image: `registry.example/aim/${name}:1.0.0`, discovery: { enabled: false } },
    },
    {
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
    },
    { ...head, kind: "AIMService", metadata: { name, namespace }, spec: { model: { ref: name } } },
  ] satisfies AnyObject[];

async function createService(client: KubeClient, name: string): Promise<string> {
  const kinds: readonly Kind[] = [AIMClusterModel, AIMClusterServiceTemplate, AIMService];
  for (const [i, object] of manifests(name).entries()) await client.create(kinds[i] as Kind, object);
  return `${name}-predictor`;
}

async function createNewerService(client: KubeClient, name: string): Promise<string> {
  const kinds: readonly Kind[] = [EaiClusterModel, EaiClusterServiceTemplate, EaiService];
  for (const [i, object] of manifests(name).entries()) await client.create(kinds[i] as Kind, toNewer(object));
  return `${name}-predictor`;
}
