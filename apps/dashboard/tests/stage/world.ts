import { AIMClusterServiceTemplate, AIMModel, AIMService } from "@trivium/aim";
import {
  type AnyObject,
  Deployment,
  Event,
  type Kind,
  type KubeClient,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
} from "@trivium/kube";
import { InferenceService as LlmkubeService, Model } from "@trivium/llmkube";
import { BenchmarkJob, ClusterBaseModel, ClusterServingRuntime, InferenceService as OmeService } from "@trivium/ome";

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
const condition = (type: string, status: string, reason: string, message: string, minutes = 12) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: ago(minutes),
  observedGeneration: 1,
});

interface Seed {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: object;
  readonly status?: object;
  readonly owner?: Seed;
}

const team = "team-a";
const noGpu = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu";
const unscheduled =
  "Pod vision-7c9d5-x2x4k cannot be scheduled: no node has 1 free GPU of nvidia.com/gpu; free a GPU, or set spec.resources.gpu to 0";

const node = (name: string, labels: Readonly<Record<string, string>>, allocatable: object): Seed => ({
  kind: Node,
  name,
  labels,
  status: { allocatable, capacity: allocatable, conditions: [condition("Ready", "True", "KubeletReady", "", 900)] },
});

const chat: Seed = {
  kind: LlmkubeService,
  namespace: team,
  name: "chat",
  fields: { spec: { modelRef: "qwen-7b", replicas: 2, contextSize: 8192 } },
  status: {
    phase: "Ready",
    replicas: 2,
    readyReplicas: 2,
    conditions: [condition("Available", "True", "InferenceReady", "2 of 2 replicas ready", 42)],
  },
};
const vision: Seed = {
  kind: LlmkubeService,
  namespace: team,
  name: "vision",
  fields: { spec: { modelRef: "llava", replicas: 1, resources: { gpu: 1 } } },
  status: {
    phase: "Pending",
    conditions: [
      condition("Available", "False", "InsufficientGPU", unscheduled),
      condition("Degraded", "True", "InsufficientGPU", unscheduled),
    ],
  },
};

const replicas = (service: Seed, pods: number, status: object, spec: object = {}): Seed[] => {
  const { name, namespace = "" } = service;
  const model = (service.fields as { spec: { modelRef: string } }).spec.modelRef;
  const template = {
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          name: "llama-server",
          image: "ghcr.io/ggml-org/llama.cpp:server",
          resources: { requests: { cpu: "4", memory: "9Gi" } },
        },
      ],
      ...spec,
    },
  };
  const fields = { spec: { replicas: pods, selector: { matchLabels: { app: name } }, template } };
  const ready = "nodeName" in spec ? { replicas: pods, readyReplicas: pods } : { replicas: pods };
  const deployment: Seed = { kind: Deployment, namespace, name, fields, status: ready, owner: service };
  const set: Seed = { kind: ReplicaSet, namespace, name: `${name}-7c9d5`, fields, status: ready, owner: deployment };
  const names = ["x2x4k", "p9mqv", "h4t7z"].slice(0, pods);
  return [
    deployment,
    set,
    ...names.map(
      (end): Seed => ({
        kind: Pod,
        namespace,
        name: `${name}-7c9d5-${end}`,
        labels: { "inference.llmkube.dev/model": model },
        fields: { spec: template.spec },
        status,
        owner: set,
      }),
    ),
  ];
};

const running = { phase: "Running", conditions: [condition("Ready", "True", "", "", 42)] };

/** A small cluster as controllers would have left it: services of each API that serve, wait, sleep and fail. */
const world: readonly Seed[] = [
  node(
    "gpu-1",
    { "amd.com/gpu.device-id": "74a1", "beta.amd.com/gpu.vram": "192G" },
    { cpu: "96", memory: "512Gi", "amd.com/gpu": "8", pods: "110" },
  ),
  node("cpu-1", {}, { cpu: "32", memory: "128Gi", pods: "110" }),
  {
    kind: Model,
    namespace: team,
    name: "qwen-7b",
    fields: { spec: { source: "hf://Qwen/Qwen2.5-7B-Instruct-GGUF/qwen2.5-7b-instruct-q4_k_m.gguf", format: "gguf" } },
    status: {
      phase: "Ready",
      size: "4.4Gi",
      sourceContentLength: 4_683_073_184,
      sha256: "9c1f3b6fd0a2c1a4e8d7b5f60c2e4a1b8d7c6e5f4a3b2c1d0e9f8a7b6c5d4e3f",
      conditions: [condition("Available", "True", "ModelReady", "Weights are ready", 60)],
    },
  },
  {
    kind: Model,
    namespace: team,
    name: "llava",
    fields: { spec: { source: "hf://second-state/Llava-v1.5-7B-GGUF", format: "gguf" } },
    status: {
      phase: "Ready",
      size: "4.1Gi",
      sourceContentLength: 4_081_004_224,
      conditions: [condition("Available", "True", "ModelReady", "Weights are ready", 60)],
    },
  },
  {
    kind: Model,
    namespace: team,
    name: "mistral-24b",
    fields: { spec: { source: "hf://bartowski/Mistral-Small-24B-GGUF/mistral-small-q8_0.gguf", format: "gguf" } },
    status: {
      phase: "Ready",
      size: "23.3Gi",
      sourceContentLength: 25_054_779_392,
      conditions: [condition("Available", "True", "ModelReady", "Weights are ready", 400)],
    },
  },
  {
    kind: ClusterBaseModel,
    name: "llama-3-1-8b",
    fields: {
      spec: {
        modelFormat: { name: "safetensors" },
        modelArchitecture: "LlamaForCausalLM",
        modelParameterSize: "8B",
        storage: { storageUri: "hf://meta-llama/Llama-3.1-8B-Instruct" },
      },
    },
    status: {
      state: "In_Transit",
      nodesReady: [],
      downloads: [
        {
          node: "gpu-1",
          bytesDone: 6_100_000_000,
          bytesTotal: 16_060_000_000,
          percent: 37,
          bytesPerSecond: 84_000_000,
          secondsLeft: 118,
        },
      ],
    },
  },
  {
    kind: ClusterServingRuntime,
    name: "vllm",
    fields: {
      spec: {
        supportedModelFormats: [
          {
            name: "safetensors",
            modelFormat: { name: "safetensors" },
            modelFramework: { name: "transformers" },
            autoSelect: true,
          },
        ],
        engineConfig: { runner: { name: "vllm", image: "vllm/vllm-openai:latest" } },
      },
    },
  },
  {
    kind: AIMModel,
    namespace: team,
    name: "llama-70b",
    fields: { spec: { image: "amdenterpriseai/aim-meta-llama-llama-3-3-70b-instruct:0.8.4" } },
    status: { status: "Ready", conditions: [condition("Ready", "True", "Ready", "", 700)] },
  },
  {
    kind: AIMClusterServiceTemplate,
    name: "llama-70b-mi300x",
    fields: {
      spec: { modelName: "llama-70b", metric: "latency", precision: "fp8", gpuSelector: { model: "MI300X", count: 4 } },
    },
    status: { status: "Ready", conditions: [condition("Ready", "True", "Ready", "", 700)] },
  },
  chat,
  ...replicas(chat, 2, running, { nodeName: "cpu-1" }),
  vision,
  ...replicas(vision, 1, {
    phase: "Pending",
    conditions: [{ ...condition("PodScheduled", "False", "Unschedulable", noGpu) }],
  }),
  {
    kind: OmeService,
    namespace: "default",
    name: "code",
    fields: { spec: { model: { name: "qwen-coder" } } },
    status: {
      conditions: [
        condition(
          "Ready",
          "False",
          "ModelNotFound",
          "Model qwen-coder not found in this namespace or the cluster; create it, or change spec.model",
          3,
        ),
      ],
    },
  },
  {
    kind: OmeService,
    namespace: "default",
    name: "assistant",
    fields: { spec: { model: { name: "llama-3-1-8b" }, runtime: { name: "vllm" } } },
    status: {
      conditions: [
        condition(
          "Ready",
          "False",
          "ModelNotReady",
          "Waiting for ClusterBaseModel llama-3-1-8b: downloading on node gpu-1, 37%",
          2,
        ),
      ],
    },
  },
  {
    kind: AIMService,
    namespace: team,
    name: "reasoner",
    fields: { spec: { model: { ref: "llama-70b" }, replicas: 1 } },
    status: {
      status: "Running",
      replicas: 1,
      runtime: { currentReplicas: 1, desiredReplicas: 1, minReplicas: 1, maxReplicas: 1, replicas: "1" },
      conditions: [condition("Ready", "True", "RuntimeReady", "1 of 1 replicas ready", 600)],
      resolvedModel: { name: "llama-70b", namespace: team, kind: "AIMModel" },
      resolvedTemplate: { name: "llama-70b-mi300x", kind: "AIMClusterServiceTemplate" },
    },
  },
  {
    kind: BenchmarkJob,
    namespace: team,
    name: "chat-under-load",
    fields: {
      spec: {
        endpoint: { inferenceService: { name: "chat", namespace: team } },
        task: "text-to-text",
        maxTimePerIteration: 2,
        maxRequestsPerIteration: 100,
        outputLocation: { storageUri: "pvc://results" },
      },
    },
    status: {
      state: "Completed",
      details: JSON.stringify({
        job: "chat-under-load-1",
        requests: 400,
        answered: 400,
        best: {
          scenario: "D(100,100)",
          concurrency: 16,
          requestsPerSecond: 7.42,
          outputTokensPerSecond: 731.5,
          timeToFirstTokenMs: { p50: 212, p95: 480 },
        },
      }),
    },
  },
];

/** Writes the world to a server. */
export async function seedWorld(client: KubeClient): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: team } } as never);
  await client
    .create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } } as never)
    .catch(() => undefined);
  const created = new Map<Seed, AnyObject>();
  for (const seed of world) created.set(seed, await create(client, seed, seed.owner && created.get(seed.owner)));
  const pod = created.get(world.find(({ name }) => name.startsWith("vision-7c9d5-")) ?? chat);
  await warn(client, pod as AnyObject);
}

async function create(client: KubeClient, seed: Seed, owner: AnyObject | undefined): Promise<AnyObject> {
  const { kind, namespace, name, labels, fields, status } = seed;
  const ownerReferences =
    owner === undefined
      ? []
      : [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name,
            uid: owner.metadata.uid,
            controller: true,
          },
        ];
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  const metadata = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ownerReferences,
  };
  const object = (await client.create(kind, {
    apiVersion,
    kind: kind.kind,
    metadata,
    ...fields,
  } as never)) as AnyObject;
  if (status !== undefined)
    await client.patch(kind, object.metadata as never, { type: "merge", body: { status } } as never, {
      subresource: "status",
    });
  return { ...object, kind: kind.kind, apiVersion };
}

async function warn(client: KubeClient, { apiVersion, kind, metadata }: AnyObject): Promise<void> {
  const involvedObject = { apiVersion, kind, name: metadata.name, namespace: metadata.namespace, uid: metadata.uid };
  const head = { apiVersion: "v1", kind: "Event", metadata: { name: `${metadata.name}.1`, namespace: team } };
  const times = {
    firstTimestamp: ago(12),
    lastTimestamp: ago(1),
    count: 14,
    source: { component: "default-scheduler" },
  };
  await client.create(Event, {
    ...head,
    involvedObject,
    type: "Warning",
    reason: "FailedScheduling",
    message: noGpu,
    ...times,
  } as never);
}
