import { AIMClusterModel, AIMClusterServiceTemplate, AIMService } from "@trivium/aim";
import {
  type Kind,
  type KubeClient,
  type KubeObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
} from "@trivium/kube";
import { InferenceService as LlmkubeService, Model } from "@trivium/llmkube";
import { ClusterBaseModel, ClusterServingRuntime, InferenceService as OmeService } from "@trivium/ome";

export interface Applied {
  readonly kind: Kind;
  readonly object: KubeObject;
}

export interface FleetStatus {
  readonly phase?: string;
  readonly status?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

/** Whether nodes run the pods. */
export type Nodes = "none" | "staged";

/** What people apply in one dialect. */
export interface Fleet {
  readonly service: Kind;
  /** What exists before the first service. */
  prepare(client: KubeClient, nodes: Nodes): Promise<void>;
  /** Everything that is applied for the service of this name. */
  objectsOf(name: string): readonly Applied[];
  /** A service that uses what `edit` changes, where the others do not. */
  sharing?(name: string): Applied;
  /** Changes something that many services use, so that their pods change. */
  edit(client: KubeClient): Promise<void>;
  /** Whether a status says that requests are served. */
  isReady(status: FleetStatus): boolean;
}

export const namespace = "bench";
/** Where the bare client makes the same writes. */
export const bareNamespace = "bare";

const llmkubeHead = { apiVersion: "inference.llmkube.dev/v1alpha1" } as const;
const llmkube: Fleet = {
  service: LlmkubeService,
  async prepare(client) {
    for (const each of [namespace, bareNamespace]) await createWeights(client, each);
    await client.create(Model, modelOf("shared"));
  },
  objectsOf: (name) => [{ kind: Model, object: modelOf(name) }, llmkubeServiceOf(name, name)],
  sharing: (name) => llmkubeServiceOf(name, "shared"),
  async edit(client) {
    const body = { spec: { source: "pvc://weights/edited.gguf" } };
    await client.patch(Model, { namespace, name: "shared" }, { type: "merge", body });
  },
  isReady: ({ phase }) => phase === "Ready",
};

/** A bound claim: without it the pods of a namespace would not start. */
async function createWeights(client: KubeClient, where: string): Promise<void> {
  const capacity = { storage: "1Gi" };
  const accessModes: ["ReadWriteMany"] = ["ReadWriteMany"];
  const volumeName = `weights-${where}`;
  await client.create(PersistentVolume, {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volumeName },
    spec: {
      capacity,
      accessModes,
      storageClassName: "",
      hostPath: { path: "/weights" },
      claimRef: { namespace: where, name: "weights" },
    },
  });
  await client.create(PersistentVolumeClaim, {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "weights", namespace: where },
    spec: { accessModes, storageClassName: "", volumeName, resources: { requests: capacity } },
  });
}

function llmkubeServiceOf(name: string, modelRef: string): Applied {
  const object = { ...llmkubeHead, kind: "InferenceService", metadata: { name, namespace }, spec: { modelRef } };
  return { kind: LlmkubeService, object: object as KubeObject };
}

function modelOf(name: string): Model {
  const source = `pvc://weights/${name}.gguf`;
  return { ...llmkubeHead, kind: "Model", metadata: { name, namespace }, spec: { source } as Model["spec"] };
}

const aimHead = { apiVersion: "aim.silogen.ai/v1alpha1" } as const;
const gpuSelector = { model: "MI300X", count: 1, resourceName: "amd.com/gpu" };
const aim: Fleet = {
  service: AIMService,
  async prepare(client, nodes) {
    if (nodes === "none") await createIdleNode(client);
    await createShared(client);
  },
  objectsOf: (name) => [
    {
      kind: AIMService,
      object: {
        ...aimHead,
        kind: "AIMService",
        metadata: { name, namespace },
        spec: { model: { ref: "shared" } },
      } as KubeObject,
    },
  ],
  async edit(client) {
    const body = { spec: { env: [{ name: "EDITED", value: "yes" }] } };
    await client.patch(AIMClusterServiceTemplate, { name: "shared" }, { type: "merge", body });
  },
  isReady: ({ status }) => status === "Running",
};

/** No kubelet runs it: the GPUs are known, and no pod starts. */
async function createIdleNode(client: KubeClient): Promise<void> {
  const capacity = { cpu: "64", memory: "512Gi", pods: "500", "amd.com/gpu": "8" };
  const metadata = { name: "gpu", labels: { "amd.com/gpu.device-id": "74a1" } };
  await client.create(Node, { apiVersion: "v1", kind: "Node", metadata });
  const body = { status: { capacity, allocatable: capacity } };
  await client.patch(Node, { name: "gpu" }, { type: "merge", body }, { subresource: "status" });
}

async function createShared(client: KubeClient): Promise<void> {
  await client.create(AIMClusterModel, {
    ...aimHead,
    kind: "AIMClusterModel",
    metadata: { name: "shared" },
    spec: { image: "registry.example/aim/shared:1.0.0", discovery: { enabled: false } },
  });
  await client.create(AIMClusterServiceTemplate, {
    ...aimHead,
    kind: "AIMClusterServiceTemplate",
    metadata: { name: "shared" },
    spec: {
      modelName: "shared",
      metric: "latency",
      precision: "fp8",
      gpuSelector,
      type: "optimized",
      modelSources: [{ name: "acme/shared", sourceUri: "hf://acme/shared", size: "16Gi" }],
    },
  });
}

const omeHead = { apiVersion: "ome.io/v1beta1" } as const;
const runner = { name: "ome-container", image: "example.com/serve", ports: [{ containerPort: 8080 }] };
const ome: Fleet = {
  service: OmeService,
  async prepare(client) {
    const modelFormat = { name: "safetensors", version: "1.0.0" };
    const modelFramework = { name: "transformers", version: "4.60.0" };
    const modelArchitecture = "SharedForCausalLM";
    await client.create(ClusterBaseModel, {
      ...omeHead,
      kind: "ClusterBaseModel",
      metadata: { name: "shared" },
      spec: {
        modelFormat,
        modelFramework,
        modelArchitecture,
        modelParameterSize: "8B",
        storage: { storageUri: "hf://org/shared", path: "/mnt/data/models/shared" },
      },
    });
    await client.create(ClusterServingRuntime, {
      ...omeHead,
      kind: "ClusterServingRuntime",
      metadata: { name: "shared" },
      spec: {
        supportedModelFormats: [{ modelFormat, modelFramework, modelArchitecture, autoSelect: true, priority: 1 }],
        engineConfig: { runner },
      },
    });
  },
  objectsOf: (name) => [
    {
      kind: OmeService,
      object: {
        ...omeHead,
        kind: "InferenceService",
        metadata: { name, namespace },
        spec: { model: { name: "shared" }, engine: { minReplicas: 1 } },
      } as KubeObject,
    },
  ],
  async edit(client) {
    const body = { spec: { engineConfig: { runner: { ...runner, env: [{ name: "EDITED", value: "yes" }] } } } };
    await client.patch(ClusterServingRuntime, { name: "shared" }, { type: "merge", body: body as never });
  },
  isReady: ({ conditions = [] }) => conditions.some(({ type, status }) => type === "Ready" && status === "True"),
};

export const fleets: Readonly<Record<string, Fleet>> = { llmkube, aim, ome };
