import {
  AIMClusterModel,
  AIMClusterRuntimeConfig,
  AIMClusterServiceTemplate,
  AIMModel,
  AIMService,
  AIMServiceTemplate,
} from "@trivium/aim";
import { type KubeClient, Namespace, Node, type ObjectOf } from "@trivium/kube";
import { inParallel } from "../llmkube/in-parallel.ts";

/** What a platform team has: models for everybody and of single teams, with ten ways to run each, and services on all of them. */
export interface FleetSize {
  readonly models: number;
  readonly templates: number;
  readonly services: number;
}

const apiVersion = "aim.silogen.ai/v1alpha1";
export const namespace = "bench";
const precisions = ["fp8", "fp16", "bf16", "int8", "fp4"] as const;

/** Every second model is the namespace's own. */
const isOwn = (model: number): boolean => model % 2 === 1;
const placeOf = (name: string, model: number) => ({ name, ...(isOwn(model) ? { namespace } : {}) });

type Template = ObjectOf<typeof AIMClusterServiceTemplate>;
type Service = ObjectOf<typeof AIMService>;

export function templateOf(at: number, models: number): Template {
  const model = at % models;
  const variant = Math.floor(at / models);
  return {
    apiVersion,
    kind: isOwn(model) ? "AIMServiceTemplate" : "AIMClusterServiceTemplate",
    metadata: placeOf(`model-${model}-${variant}`, model),
    spec: {
      modelName: `model-${model}`,
      metric: variant % 2 === 0 ? "latency" : "throughput",
      precision: precisions[Math.floor(variant / 2) % precisions.length] ?? "fp8",
      gpuSelector: { model: "MI300X", count: 1, resourceName: "amd.com/gpu" },
      type: "optimized",
      modelSources: [{ name: `acme/model-${model}`, sourceUri: `hf://acme/model-${model}`, size: "16Gi" }],
    },
  };
}

export function serviceOf(at: number, models: number): Service {
  return {
    apiVersion,
    kind: "AIMService",
    metadata: { name: `service-${at}`, namespace },
    spec: { model: { ref: `model-${at % models}` } },
  };
}

export async function prepare(client: KubeClient): Promise<void> {
  await client.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  await client.create(Node, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "gpu", labels: { "amd.com/gpu.device-id": "74a1" } },
    status: { capacity: { "amd.com/gpu": "8" }, allocatable: { "amd.com/gpu": "8" } },
  });
  await client.create(AIMClusterRuntimeConfig, {
    apiVersion,
    kind: "AIMClusterRuntimeConfig",
    metadata: { name: "default" },
    spec: {},
  });
}

/** All of it at once, some calls at a time, as a repository of manifests arrives. */
export async function applyFleet(client: KubeClient, { models, templates, services }: FleetSize): Promise<void> {
  const each = (count: number, make: (at: number) => Promise<unknown>) =>
    Array.from({ length: count }, (_, at) => () => make(at));
  await inParallel([
    ...each(models, (at) => {
      const object = {
        apiVersion,
        metadata: placeOf(`model-${at}`, at),
        spec: { image: `registry.example/aim/model-${at}:1.0.0`, discovery: { enabled: false } },
      };
      return isOwn(at)
        ? client.create(AIMModel, { ...object, kind: "AIMModel" })
        : client.create(AIMClusterModel, { ...object, kind: "AIMClusterModel" });
    }),
    ...each(templates, (at) => {
      const object = templateOf(at, models);
      return client.create(isOwn(at % models) ? AIMServiceTemplate : AIMClusterServiceTemplate, object);
    }),
    ...each(services, (at) => client.create(AIMService, serviceOf(at, models))),
  ]);
}

/** So many services wait for each of ten models whose GPU no node has. */
export const waitingEach = 5;

export async function applyWaiting(client: KubeClient): Promise<void> {
  for (let model = 0; model < 10; model += 1) {
    const name = `absent-${model}`;
    const spec = { image: `registry.example/aim/${name}:1.0.0`, discovery: { enabled: false } };
    await client.create(AIMClusterModel, { apiVersion, kind: "AIMClusterModel", metadata: { name }, spec });
    for (let at = 0; at < 2; at += 1) {
      const { spec: usual, ...template } = templateOf(at, 1);
      const gpuSelector = { model: "MI210", count: 1, resourceName: "amd.com/gpu" };
      await client.create(AIMClusterServiceTemplate, {
        ...template,
        metadata: { name: `${name}-${at}` },
        spec: { ...usual, modelName: name, gpuSelector },
      });
    }
    for (let at = 0; at < waitingEach; at += 1)
      await client.create(AIMService, {
        apiVersion,
        kind: "AIMService",
        metadata: { name: `${name}-${at}`, namespace },
        spec: { model: { ref: name } },
      });
  }
}
