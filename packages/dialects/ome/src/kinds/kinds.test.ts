import assert from "node:assert/strict";
import { test } from "node:test";
import { admitObject, apiVersionOf, type DefinedKind, evaluateJsonPath } from "@trivium/kube";
import { formatFieldError } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";
import { BaseModel, BenchmarkJob, ClusterServingRuntime, FineTunedWeight, InferenceService } from "../index.ts";
import { runtimeAnnotation } from "../names.ts";

const admit = (kind: DefinedKind, spec: JsonObject) =>
  admitObject(kind, { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: { name: "x" }, spec });

const storage = { storageUri: "hf://org/model" };
const format = { modelFormat: { name: "safetensors" }, modelFramework: { name: "transformers" } };
const benchmark = {
  endpoint: { endpoint: { url: "http://h", apiFormat: "openai" } },
  task: "text-to-text",
  maxTimePerIteration: 1,
  maxRequestsPerIteration: 1,
  outputLocation: storage,
};

test("defaults are those of the documents", () => {
  assert.deepEqual(admit(InferenceService, { model: { name: "m" }, runtime: { name: "r" } }).object.spec, {
    model: { name: "m", kind: "ClusterBaseModel", apiGroup: "ome.io" },
    runtime: { name: "r", kind: "ClusterServingRuntime", apiGroup: "ome.io" },
  });
  assert.deepEqual(admit(BaseModel, { storage, modelFormat: { name: "onnx" } }).object.spec, {
    storage,
    modelFormat: { name: "onnx", operator: "Equal", weight: 1 },
  });
});

const accepted: readonly (readonly [string, DefinedKind, JsonObject])[] = [
  ["nothing but a model", InferenceService, { model: { name: "m" }, engine: {} }],
  [
    "pod fields and a runner without containers",
    InferenceService,
    {
      engine: {
        nodeSelector: { a: "b" },
        runner: { name: "main", image: "i", ports: [{ containerPort: 80 }] },
        minReplicas: 0,
      },
    },
  ],
  [
    "leader and worker",
    InferenceService,
    { engine: { leader: { hostNetwork: true }, worker: { size: 2, runner: { name: "w" } } } },
  ],
  [
    "the older form",
    InferenceService,
    { predictor: { model: { baseModel: "m", resources: { limits: { cpu: 1 } } }, minReplicas: 1 } },
  ],
  [
    "a runtime with all roles",
    ClusterServingRuntime,
    { supportedModelFormats: [format], engineConfig: {}, decoderConfig: {}, routerConfig: { config: { a: "b" } } },
  ],
  [
    "legacy pod fields",
    ClusterServingRuntime,
    { supportedModelFormats: [format], containers: [{ name: "c" }], workers: { size: 1 } },
  ],
  [
    "weights of a cluster-wide model",
    FineTunedWeight,
    { baseModelRef: { name: "m" }, modelType: "LoRA", hyperParameters: { strategy: "lora" }, storage },
  ],
  ["a benchmark of an address", BenchmarkJob, benchmark],
];
for (const [title, kind, spec] of accepted) {
  test(`${kind.kind}: ${title} is taken`, () => {
    const { unknown, faults } = admit(kind, spec);
    assert.deepEqual({ unknown, faults }, { unknown: [], faults: [] });
  });
}

const refused: readonly (readonly [string, DefinedKind, JsonObject, string])[] = [
  ["a model without storage", BaseModel, {}, "spec.storage: Required value"],
  ["a model without an address", BaseModel, { storage: {} }, "spec.storage.storageUri: Required value"],
  ["a runtime without formats", ClusterServingRuntime, {}, "spec.supportedModelFormats: Required value"],
  [
    "a format without a framework",
    ClusterServingRuntime,
    { supportedModelFormats: [{ modelFormat: { name: "a" } }] },
    "spec.supportedModelFormats[0].modelFramework: Required value",
  ],
  [
    "a priority of zero",
    ClusterServingRuntime,
    { supportedModelFormats: [{ ...format, priority: 0 }] },
    "spec.supportedModelFormats[0].priority",
  ],
  [
    "an unknown scale metric",
    InferenceService,
    { engine: { scaleMetric: "tps" } },
    'spec.engine.scaleMetric: Unsupported value: "tps"',
  ],
  [
    "more than all requests",
    InferenceService,
    { router: { canaryTrafficPercent: 101 } },
    "spec.router.canaryTrafficPercent",
  ],
  [
    "two disruption limits",
    InferenceService,
    { decoder: { minAvailable: 1, maxUnavailable: "50%" } },
    "minAvailable and maxUnavailable are mutually exclusive",
  ],
  [
    "a container without a name",
    InferenceService,
    { engine: { containers: [{ image: "i" }] } },
    "spec.engine.containers[0].name: Required value",
  ],
  [
    "a port that is a word",
    InferenceService,
    { engine: { runner: { name: "r", ports: [{ containerPort: "http" }] } } },
    "spec.engine.runner.ports[0].containerPort",
  ],
  [
    "two containers of one name",
    InferenceService,
    { engine: { containers: [{ name: "a" }, { name: "a" }] } },
    "spec.engine.containers[1]: Duplicate value",
  ],
  [
    "a benchmark of nothing",
    BenchmarkJob,
    { ...benchmark, endpoint: {} },
    "set exactly one of inferenceService and endpoint",
  ],
  [
    "a benchmark of an unknown task",
    BenchmarkJob,
    { ...benchmark, task: "text-to-song" },
    "spec.task: Unsupported value",
  ],
  [
    "the same concurrency twice",
    BenchmarkJob,
    { ...benchmark, numConcurrency: [1, 1] },
    "spec.numConcurrency[1]: Duplicate value",
  ],
];
for (const [title, kind, spec, complaint] of refused) {
  test(`${kind.kind}: ${title} is refused`, () => {
    const faults = admit(kind, spec).faults.map(formatFieldError);
    assert.ok(
      faults.some((fault) => fault.includes(complaint)),
      JSON.stringify(faults),
    );
  });
}

test("a misspelt pod field is noticed", () => {
  assert.deepEqual(admit(InferenceService, { engine: { nodeSelectors: {} } }).unknown, ["spec.engine.nodeSelectors"]);
});

test("the column Runtime shows what was chosen", () => {
  const column = InferenceService.columns?.find(({ name }) => name === "Runtime");
  const chosen = { status: { annotations: { [runtimeAnnotation]: "sglang" } } };
  assert.deepEqual(evaluateJsonPath(column?.jsonPath ?? "", chosen), ["sglang"]);
});
