import { imageConfig, isServed, registryRepositories, registryTags, sourceHead } from "@trivium/domain";
import { type Kind, type KubeClient, Namespace } from "@trivium/kube";
import { type Answered, answer } from "@trivium/reconcile";
import type { NamedLater, ObjectsOf } from "@trivium/testkit";
import { AIMClusterModel, AIMClusterServiceTemplate, AIMModel, AIMServiceTemplate, aimDefaults } from "../src/index.ts";
import { AIMClusterModelSource } from "../src/kinds/cluster-model-source.ts";
import { AIMKVCache } from "../src/kinds/kv-cache.ts";
import { AIMClusterImage, AIMImage } from "../src/kinds/model.ts";
import { AIMModelCache } from "../src/kinds/model-cache.ts";
import { AIMClusterRuntimeConfig, AIMRuntimeConfig } from "../src/kinds/runtime-config.ts";
import { AIMTemplateCache } from "../src/kinds/template-cache.ts";

const namespace = "default";
const silent = async () => Promise.reject(new Error("no answer"));
export const answers = [
  answer(isServed, async () => false),
  answer(imageConfig, silent),
  answer(registryTags, silent),
  answer(registryRepositories, silent),
  answer(sourceHead, silent),
] as readonly Answered[];

const modelSources = (name: string) => [{ name: `acme/${name}`, sourceUri: `hf://acme/${name}`, size: "1Gi" }];
const modelSpec = (name: string) => ({
  image: `registry.example/aim/${name}:1.0.0`,
  discovery: { enabled: false },
});
const model = (name: string): NamedLater => ({ kind: AIMModel, spec: modelSpec(name) });
const clusterModel = (name: string): NamedLater => ({ kind: AIMClusterModel, spec: modelSpec(name) });
const template = (name: string): NamedLater => templateOf(AIMServiceTemplate, name);
const templateOf = (kind: Kind, name: string): NamedLater => ({
  kind,
  spec: {
    modelName: name,
    metric: "latency",
    precision: "fp8",
    gpuSelector: { model: "MI300X", count: 1, resourceName: "amd.com/gpu" },
    type: "optimized",
    modelSources: modelSources(name),
  },
});

/** The objects of one name; the last is the one that changes. */
export const growthKinds: Readonly<Record<string, ObjectsOf>> = {
  models: (name) => [model(name)],
  "cluster models": (name) => [clusterModel(name)],
  images: (name) => [{ kind: AIMImage, spec: modelSpec(name) }],
  "cluster images": (name) => [{ kind: AIMClusterImage, spec: modelSpec(name) }],
  templates: (name) => [model(name), template(name)],
  "cluster templates": (name) => [clusterModel(name), templateOf(AIMClusterServiceTemplate, name)],
  "model caches": (name) => [{ kind: AIMModelCache, spec: { sourceUri: `hf://acme/${name}`, size: "1Gi" } }],
  "template caches": (name) => [model(name), template(name), { kind: AIMTemplateCache, spec: { templateRef: name } }],
  "KV caches": () => [{ kind: AIMKVCache, spec: { kvCacheType: "redis" } }],
  "model sources": (name) => [
    { kind: AIMClusterModelSource, spec: { registry: "registry.example", filters: [{ image: `${name}/aim:1.0.0` }] } },
  ],
  "runtime configs": () => [{ kind: AIMRuntimeConfig, spec: {} }],
  "cluster runtime configs": () => [{ kind: AIMClusterRuntimeConfig, spec: {} }],
};

export async function prepare(client: KubeClient): Promise<void> {
  const name = aimDefaults.operatorNamespace;
  if (name !== namespace) await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}
