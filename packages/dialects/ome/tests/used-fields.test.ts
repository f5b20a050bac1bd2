import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { KubeObject } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { once } from "@trivium/std";
import { AcceleratorClass } from "../src/kinds/accelerator-class.ts";
import { ClusterBaseModel } from "../src/kinds/base-model.ts";
import { BenchmarkJob } from "../src/kinds/benchmark-job.ts";
import { FineTunedWeight } from "../src/kinds/fine-tuned-weight.ts";
import { InferenceService } from "../src/kinds/inference-service.ts";
import { ClusterServingRuntime } from "../src/kinds/serving-runtime.ts";
import { ownLeaves, samplesOf, schemaAt, withField } from "./field-samples.ts";
import { effectsOf, type FieldWorld, isOtherEffect } from "./field-world.ts";
import { compareRows, rowsOf } from "./unused-rows.ts";

const object = (kind: string, name: string, spec: object, more: object = {}): KubeObject =>
  ({
    apiVersion: "ome.io/v1beta1",
    kind,
    metadata: {
      name,
      uid: `${kind}-${name}`,
      generation: 1,
      ...(kind === "InferenceService" || kind === "BenchmarkJob" ? { namespace: "team" } : {}),
    },
    spec,
    ...more,
  }) as KubeObject;

const format = { name: "safetensors", version: "1.0.0" };
const framework = { name: "transformers", version: "4.51.0" };
const weight = object(
  "FineTunedWeight",
  "poet",
  {
    baseModelRef: { name: "llama" },
    modelType: "LoRA",
    hyperParameters: { strategy: "lora" },
    storage: { storageUri: "hf://org/poet" },
  },
  { status: { state: "Ready", nodesReady: ["n1"] } },
);
const container = { name: "ome-container", image: "vllm/vllm-openai:v1", args: ["--port", "8080"] };
const limits = { resources: { limits: { "nvidia.com/gpu": "1" } } };
const part = { library: "diffusers", type: "Part" };
const pipeline = {
  className: "FluxPipeline",
  scheduler: part,
  textEncoder: part,
  tokenizer: part,
  transformer: part,
  vae: part,
  additionalComponents: { extra: part },
};
const model = object(
  "ClusterBaseModel",
  "llama",
  {
    modelFormat: format,
    modelFramework: framework,
    modelArchitecture: "LlamaForCausalLM",
    modelParameterSize: "8B",
    diffusionPipeline: pipeline,
    storage: { storageUri: "hf://org/llama", path: "/mnt/data/models/llama" },
  },
  { status: { state: "Ready", nodesReady: ["n1"] } },
);
const entry = {
  modelFormat: format,
  modelFramework: framework,
  modelArchitecture: "LlamaForCausalLM",
  autoSelect: true,
  priority: 1,
  diffusionPipeline: pipeline,
};
const modelSizeRange = { min: "1B", max: "90B" };
const runtimeOf = (spec: object) =>
  object("ClusterServingRuntime", "vllm", {
    supportedModelFormats: [entry],
    modelSizeRange,
    protocolVersions: ["openAI"],
    ...spec,
  });
const component = { runner: { ...container, ...limits } };
const acceleratorRequirements = { acceleratorClasses: ["h100"] };
const modern = runtimeOf({
  engineConfig: component,
  decoderConfig: component,
  routerConfig: component,
  acceleratorRequirements,
});
const legacy = runtimeOf({ containers: [container], workers: { size: 1 } });
const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "n1", labels: {} } } as KubeObject;
const conflict = { ...modern, metadata: { name: "zeta", uid: "zeta" } } as KubeObject;
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "inferenceservice-config", namespace: "ome" },
  data: {
    ingress: JSON.stringify({
      disableIngressCreation: false,
      enableGatewayAPI: true,
      omeIngressGateway: "edge/public",
      ingressDomain: "example.com",
    }),
  },
} as KubeObject;
const gateway = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "GatewayClass",
  metadata: { name: "trivium" },
  spec: { controllerName: "trivium.dev/gateway" },
  status: { conditions: [{ type: "Accepted", status: "True" }] },
} as unknown as KubeObject;
const service = (spec: object, annotations: Record<string, string> = {}): KubeObject => {
  const found = object("InferenceService", "chat", spec);
  return { ...found, metadata: { ...found.metadata, annotations } };
};
const job = (spec: object): KubeObject =>
  object("BenchmarkJob", "load", {
    endpoint: { endpoint: { url: "http://x", apiFormat: "openai", modelName: "m" } },
    task: "text-to-text",
    maxTimePerIteration: 1,
    maxRequestsPerIteration: 1,
    outputLocation: { storageUri: "oci://n/ns/b/bucket/o/x" },
    dataset: { storageUri: "pvc://data/x" },
    serviceMetadata: { engine: "vLLM", version: "1", gpuType: "H100", gpuCount: 1 },
    ...spec,
  });
const base = { model: { name: "llama" } };
const keda = { enableKeda: true, authenticationRef: { name: "login" } };
const served = ["LeaderWorkerSet", "ScaledObject", "HTTPRoute", "VirtualService"];

const worldOf = (runtime: KubeObject, one: KubeObject, more: readonly string[] = []): FieldWorld => ({
  objects: [model, weight, node, runtime, conflict, settings, gateway, one],
  served: [...served, ...more],
});
const scaled = { kedaConfig: keda };
const asleep = service({ ...base, engine: { minReplicas: 0 } });

/** Two classes that differ in one thing, of which the first one is changed; without a change it loses. */
const equal = { memoryGB: "8Gi" };
const classWorlds: FieldWorld[] = (
  [
    [
      "BestFit",
      { memoryGB: "4Gi", performance: { fp16Tflops: 1 } },
      { capabilities: { ...equal, performance: { fp16Tflops: 100 } } },
    ],
    [
      "MostCapable",
      { ...equal, performance: { fp16Tflops: 6 } },
      { capabilities: { ...equal, performance: { fp16Tflops: 5 } } },
    ],
    ["MostCapable", { ...equal, memoryBandwidthGBps: 9 }, { capabilities: { ...equal, memoryBandwidthGBps: 8 } }],
    ["MostCapable", equal, { capabilities: { ...equal, performance: { fp32Tflops: 5 } } }, ["fp32"]],
    ["MostCapable", equal, { capabilities: { ...equal, performance: { int8Tops: 5 } } }, ["fp8"]],
    ["MostCapable", equal, { capabilities: { ...equal, performance: { int4Tops: 5 } } }, ["int4"]],
    ["Cheapest", equal, { cost: { perHour: 100 } }],
    ["Cheapest", equal, { cost: { perMillionTokens: 100 } }],
    ["Cheapest", equal, { cost: { tier: "high" } }],
    ["FirstAvailable", { ...equal, computeCapability: "9.0", features: ["nvlink"] }, {}],
  ] as const
).map(([policy, capabilities, more, preferredPrecisions]) => {
  const discovery = { nodeSelector: {} };
  const resources = [{ name: "nvidia.com/gpu" }];
  const first = object("AcceleratorClass", "other", { vendor: "v", family: "f", discovery, capabilities, resources });
  // Of equal classes the first by name wins: the one that is changed, or the other one.
  const name = policy === "BestFit" ? "zenith" : "best";
  const second = object("AcceleratorClass", name, { discovery, capabilities: equal, ...more });
  const constraints = {
    ...(preferredPrecisions === undefined ? {} : { preferredPrecisions }),
    ...(policy === "BestFit" ? { minMemory: 2 } : {}),
    ...(policy === "FirstAvailable"
      ? { architectureFamilies: ["v-f"], requiredFeatures: ["nvlink"], minArchitectureVersion: "8" }
      : {}),
  };
  const selector = { acceleratorSelector: { policy, constraints } };
  const runtime = runtimeOf({
    engineConfig: component,
    decoderConfig: component,
    acceleratorRequirements: { acceleratorClasses: ["other", name] },
  });
  const world = worldOf(runtime, service({ ...base, ...selector, runtime: { name: "vllm" }, engine: {}, decoder: {} }));
  return { ...world, objects: [...world.objects, first, second] };
});

/** Services in all the shapes there are, each with a world around it. */
const worlds: FieldWorld[] = [
  service({ ...base, runtime: { name: "vllm" }, engine: {}, decoder: {}, router: {} }),
  service({ ...base, engine: { leader: {}, worker: { size: 1 } }, decoder: { leader: {}, worker: { size: 1 } } }),
  asleep,
  service({ ...base, kedaConfig: keda, engine: scaled, decoder: scaled, router: scaled }),
  service({ ...base, kedaConfig: keda, engine: {} }),
  service({ ...base, kedaConfig: { enableKeda: true }, engine: {}, decoder: {}, router: {} }),
  service({ ...base, model: { name: "llama", fineTunedWeights: ["poet"] }, engine: {} }),
  service({ ...base, acceleratorSelector: { acceleratorClass: "h100" }, engine: {} }),
  service({ predictor: { model: { baseModel: "llama" } } }),
  service({ predictor: { model: { baseModel: "llama", protocolVersion: "openAI" }, ...scaled } }),
  service({ predictor: { model: { baseModel: "llama" }, workerSpec: { size: 1 } } }),
]
  .map((one) => worldOf(modern, one))
  .concat([
    worldOf(modern, asleep, ["Service"]),
    worldOf(modern, service({ predictor: { minReplicas: 0, model: { baseModel: "llama" } } }), ["Service"]),
    worldOf(legacy, service({ ...base, runtime: { name: "vllm" } })),
    ...classWorlds,
    bucketed(worldOf(modern, service({ ...base, engine: {} }))),
    rolledOut(worldOf(modern, service({ ...base, engine: {}, router: {} }))),
  ]);

/** A router that runs with another template already. */
function rolledOut({ objects, served: kinds }: FieldWorld): FieldWorld {
  const annotations = { "ome.io/template": "before" };
  const template = { metadata: { annotations }, spec: { containers: [] } };
  const metadata = { name: "chat-router", namespace: "team" };
  const spec = { replicas: 1, selector: {}, template };
  const running = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec } as unknown as KubeObject;
  return { served: kinds, objects: [...objects, running] };
}

/** Models and weights that lie in a bucket. */
function bucketed({ objects, served: kinds }: FieldWorld): FieldWorld {
  const storage = { storageUri: "s3://bucket/prefix", key: "keys" };
  const isStored = ({ kind }: KubeObject): boolean => kind === "ClusterBaseModel" || kind === "FineTunedWeight";
  const moved = (one: KubeObject) => ({ ...one, spec: { ...(one as unknown as { spec: object }).spec, storage } });
  return { served: kinds, objects: objects.map((one) => (isStored(one) ? (moved(one) as KubeObject) : one)) };
}

const jobs: FieldWorld[] = [
  job({}),
  job({ endpoint: { inferenceService: { name: "chat", namespace: "team" } } }),
  job({ task: "image-to-text", dataset: { storageUri: "pvc://data/x" } }),
  job({ outputLocation: { storageUri: "pvc://results/x" } }),
  job({ outputLocation: { storageUri: "s3://bucket/x" } }),
].map((one) => ({ objects: [model, modern, service({ ...base, engine: {} }), one], served }));

test("every world is served: in one that is blocked nothing would make a difference", () => {
  for (const [at, world] of [...worlds, ...jobs].entries())
    assert.doesNotMatch(
      effectsOf(world),
      /"do":"hold"/,
      `world ${at}: ${/"message":"[^"]*"/.exec(effectsOf(world).split('"do":"hold"')[1] ?? "")}`,
    );
});

/** Fields that change nothing in any world, whatever is tried. */
function unusedFields(kind: { kind: string; schema: Schema }, given: readonly FieldWorld[]): string[] {
  const schema = kind.schema.properties?.spec as Schema;
  return ownLeaves(schema)
    .filter((path) => {
      const field = schemaAt(schema, path);
      return !given.some((world) => {
        // That a part is there at all may count already, so it is there in both.
        const context = withParents(world, kind.kind, path);
        const before = effectsBefore(context);
        return samplesOf(field, path).some((value) =>
          isOtherEffect(before, effectsOf(changed(context, kind.kind, { path, value }))),
        );
      });
    })
    .map((path) => `spec.${path}`);
}

/** Most fields are tried in a world as it is. */
const effectsBefore = once(effectsOf);

function withParents(world: FieldWorld, kind: string, path: string): FieldWorld {
  const words = path.split(".");
  return words.slice(0, -1).reduce((context, _, at) => {
    const parent = words.slice(0, at + 1);
    const first = context.objects.find((one) => one.kind === kind) as unknown as { spec: unknown };
    const found = parent.reduce((value: unknown, word) => {
      const inner = (value as Record<string, unknown> | undefined)?.[word.replace("[]", "")];
      return word.endsWith("[]") ? (inner as unknown[] | undefined)?.[0] : inner;
    }, first.spec);
    if (found !== undefined) return context;
    const value = parent.at(-1)?.endsWith("[]") ? [{}] : {};
    return changed(context, kind, { path: parent.join("."), value });
  }, world);
}

function changed(
  { objects, served: kinds }: FieldWorld,
  kind: string,
  { path, value }: { path: string; value: unknown },
): FieldWorld {
  return {
    served: kinds,
    objects: objects.map((one) => {
      // Of several only the first, so that it is told apart from the others.
      if (one !== objects.find((other) => other.kind === kind)) return one;
      return { ...one, spec: withField((one as unknown as { spec: unknown }).spec, path, value) } as KubeObject;
    }),
  };
}

describe("every field of a spec does something, or a row says that it does not", () => {
  const kinds = [
    [InferenceService, worlds],
    [ClusterBaseModel, worlds],
    [FineTunedWeight, worlds],
    [AcceleratorClass, classWorlds],
    [ClusterServingRuntime, worlds],
    [BenchmarkJob, jobs],
  ] as const;
  for (const [kind, given] of kinds)
    test(kind.kind, () => compareRows(unusedFields(kind as never, given), rowsOf(kind.kind, "spec")));
});
