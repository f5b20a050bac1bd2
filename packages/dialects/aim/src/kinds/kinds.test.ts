import assert from "node:assert/strict";
import { test } from "node:test";
import { admitObject, apiVersionOf, type DefinedKind, evaluateJsonPath } from "@trivium/kube";
import { formatFieldError, validate } from "@trivium/schema";
import type { JsonObject } from "@trivium/std";
import { AIMModel, AIMService, AIMServiceTemplate } from "../index.ts";
import { AIMClusterModelSource } from "./cluster-model-source.ts";
import { AIMKVCache } from "./kv-cache.ts";
import { AIMModelCache } from "./model-cache.ts";
import { AIMRuntimeConfig } from "./runtime-config.ts";
import { AIMTemplateCache } from "./template-cache.ts";

const objectOf = (kind: DefinedKind, spec: JsonObject): JsonObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name: "x", namespace: "default" },
  spec,
});
const admit = (kind: DefinedKind, spec: JsonObject) => admitObject(kind, objectOf(kind, spec));
const faultsOf = (kind: DefinedKind, spec: JsonObject): string[] => admit(kind, spec).faults.map(formatFieldError);

test("columns show a reference under any of its field names", () => {
  const cell = (kind: DefinedKind, column: string, spec: JsonObject): unknown => {
    const path = kind.columns.find(({ name }) => name === column)?.jsonPath ?? "";
    return evaluateJsonPath(path, objectOf(kind, spec))[0];
  };
  assert.equal(cell(AIMServiceTemplate, "Model", { modelName: "m" }), "m");
  assert.equal(cell(AIMServiceTemplate, "Model", { aimImageName: "older" }), "older");
  assert.equal(cell(AIMTemplateCache, "Template", { templateRef: "t" }), "t");
  assert.equal(cell(AIMTemplateCache, "Template", { templateName: "newer" }), "newer");
});

test("defaults are those of the documents", () => {
  assert.deepEqual(admit(AIMService, { model: { ref: "m" } }).object.spec, {
    cacheModel: false,
    model: { ref: "m" },
    replicas: 1,
    runtimeConfigName: "default",
  });
  assert.deepEqual(admit(AIMModelCache, { sourceUri: "hf://a/b" }).object.spec, {
    sourceUri: "hf://a/b",
    modelDownloadImage: "kserve/storage-initializer:v0.16.0",
    runtimeConfigName: "default",
  });
  assert.deepEqual(admit(AIMKVCache, { storage: {} }).object.spec, {
    kvCacheType: "redis",
    storage: { size: "1Gi", accessModes: ["ReadWriteOnce"] },
  });
  assert.deepEqual(admit(AIMClusterModelSource, { filters: [{ image: "a/b*" }] }).object.spec, {
    registry: "docker.io",
    filters: [{ image: "a/b*" }],
    syncInterval: "1h",
    maxModels: 100,
  });
  assert.deepEqual(admit(AIMServiceTemplate, { modelName: "m", gpuSelector: { count: 2 } }).object.spec, {
    modelName: "m",
    gpuSelector: { count: 2, resourceName: "amd.com/gpu" },
    runtimeConfigName: "default",
  });
});

const oneWay = "spec.model: Invalid value";
const custom = { modelSources: [{ modelId: "a/b", sourceUri: "hf://a/b" }], hardware: { gpu: { requests: 1 } } };
const spelling = (one: string, other: string): string => `${one} and ${other} are the same field and must not differ`;

const accepted: readonly (readonly [string, DefinedKind, JsonObject])[] = [
  ["model by ref", AIMService, { model: { ref: "m" } }],
  ["model by name", AIMService, { model: { name: "m" } }],
  ["model by the oldest spelling", AIMService, { aimImageName: "m" }],
  ["model by two spellings that agree", AIMService, { model: { ref: "m", name: "m" }, aimImageName: "m" }],
  ["model by image", AIMService, { model: { image: "a/b:1" } }],
  ["model on the spot", AIMService, { model: { custom } }],
  [
    "template by two spellings that agree",
    AIMService,
    { model: { ref: "m" }, templateRef: "t", template: { name: "t" } },
  ],
  ["template by the older spelling of its model", AIMServiceTemplate, { aimImageName: "m" }],
  ["cache by the newer spelling of its template", AIMTemplateCache, { templateName: "t" }],
  ["every precision", AIMServiceTemplate, { modelName: "m", precision: "fp4" }],
  [
    "custom model with hardware",
    AIMModel,
    { image: "i", modelSources: custom.modelSources, custom: { hardware: custom.hardware } },
  ],
  [
    "custom model with hardware in every template",
    AIMModel,
    { image: "i", modelSources: custom.modelSources, customTemplates: [{ hardware: { cpu: { requests: "4" } } }] },
  ],
  ["config without anything", AIMRuntimeConfig, {}],
  ["quantities of every form", AIMModelCache, { sourceUri: "s3://b/k", size: "1e9" }],
];
for (const [title, kind, spec] of accepted) {
  test(`${kind.kind}: ${title} is taken`, () => {
    const { unknown, faults } = admit(kind, spec);
    assert.deepEqual({ unknown, faults }, { unknown: [], faults: [] });
  });
}

const refused: readonly (readonly [string, DefinedKind, JsonObject, string])[] = [
  ["no model", AIMService, {}, oneWay],
  ["an empty model", AIMService, { model: {} }, oneWay],
  ["two models", AIMService, { model: { ref: "m", image: "a/b" } }, oneWay],
  ["a model by name and on the spot", AIMService, { aimImageName: "m", model: { custom } }, oneWay],
  ["spellings that differ", AIMService, { model: { ref: "m", name: "n" } }, spelling("ref", "name")],
  [
    "old and new spelling that differ",
    AIMService,
    { aimImageName: "m", model: { ref: "n" } },
    spelling("aimImageName", "model.ref"),
  ],
  [
    "templates that differ",
    AIMService,
    { model: { ref: "m" }, templateRef: "a", template: { name: "b" } },
    spelling("templateRef", "template.name"),
  ],
  [
    "a template without a model",
    AIMServiceTemplate,
    { metric: "latency" },
    "spec: Required value: modelName is required",
  ],
  ["a cache without a template", AIMTemplateCache, {}, "spec: Required value: templateRef is required"],
  [
    "an unknown metric",
    AIMServiceTemplate,
    { modelName: "m", metric: "speed" },
    'spec.metric: Unsupported value: "speed"',
  ],
  ["no GPUs at all", AIMServiceTemplate, { modelName: "m", gpuSelector: { count: 0 } }, "spec.gpuSelector.count"],
  ["a source with a space", AIMModelCache, { sourceUri: "hf://a b" }, "spec.sourceUri"],
  ["a source of another scheme", AIMModelCache, { sourceUri: "https://a/b" }, "spec.sourceUri"],
  ["a size that is none", AIMModelCache, { sourceUri: "hf://a/b", size: "big" }, "spec.size"],
  ["a source without filters", AIMClusterModelSource, { filters: [] }, "spec.filters"],
  ["too many models", AIMClusterModelSource, { filters: [{ image: "a" }], maxModels: 10001 }, "spec.maxModels"],
  ["a negative headroom", AIMRuntimeConfig, { pvcHeadroomPercent: -1 }, "spec.pvcHeadroomPercent"],
  ["a model without an image", AIMModel, {}, "spec.image: Required value"],
  [
    "a custom model without hardware",
    AIMModel,
    { image: "i", modelSources: custom.modelSources },
    "must set its hardware",
  ],
  [
    "two secrets of one name",
    AIMModel,
    { image: "i", imagePullSecrets: [{ name: "a" }, { name: "a" }] },
    "spec.imagePullSecrets[1]: Duplicate value",
  ],
  [
    "hardware that says nothing",
    AIMService,
    { model: { custom: { ...custom, hardware: {} } } },
    "at least one of gpu and cpu",
  ],
];
for (const [title, kind, spec, complaint] of refused) {
  test(`${kind.kind}: ${title} is refused`, () => {
    const faults = faultsOf(kind, spec);
    assert.ok(
      faults.some((fault) => fault.includes(complaint)),
      JSON.stringify(faults),
    );
  });
}

const changes: readonly (readonly [string, DefinedKind, JsonObject, JsonObject, string | undefined])[] = [
  [
    "the model of a template",
    AIMServiceTemplate,
    { modelName: "a" },
    { modelName: "b" },
    'spec.modelName: Invalid value: "b": modelName is immutable',
  ],
  [
    "the metric of a template",
    AIMServiceTemplate,
    { modelName: "a", metric: "latency" },
    { modelName: "a", metric: "throughput" },
    "metric is immutable",
  ],
  [
    "the GPU of a template",
    AIMServiceTemplate,
    { modelName: "a", gpuSelector: { count: 1 } },
    { modelName: "a", gpuSelector: { count: 2 } },
    "gpuSelector is immutable",
  ],
  [
    "setting a metric that was open",
    AIMServiceTemplate,
    { modelName: "a" },
    { modelName: "a", metric: "latency" },
    undefined,
  ],
  [
    "the source of a cache",
    AIMModelCache,
    { sourceUri: "hf://a/b" },
    { sourceUri: "hf://a/c" },
    "sourceUri is immutable",
  ],
  [
    "the size of a key-value cache",
    AIMKVCache,
    { storage: { size: "1Gi" } },
    { storage: { size: "2Gi" } },
    "size is immutable",
  ],
  ["the image of a model", AIMModel, { image: "a" }, { image: "b" }, undefined],
];
for (const [title, kind, before, after, complaint] of changes) {
  test(`${kind.kind}: changing ${title} is ${complaint === undefined ? "fine" : "refused"}`, () => {
    const old = admit(kind, before).object;
    const faults = validate(kind.schema, admit(kind, after).object, old).map(formatFieldError);
    if (complaint === undefined) assert.deepEqual(faults, []);
    else assert.ok(faults.length === 1 && faults[0]?.includes(complaint), JSON.stringify(faults));
  });
}
