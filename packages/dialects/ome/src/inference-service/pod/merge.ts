import { type api, applyStrategicMergePatch, builtInSchema } from "@trivium/kube";
import type { Schema } from "@trivium/schema";
import { cloneJson, type Json, type JsonObject } from "@trivium/std";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { RuntimeSpec } from "../../selection/index.ts";
import { type ComponentName, type ComponentSpec, type ComponentSpecs, componentNames } from "../roles/component.ts";

/**
 * The components of a service, each laid over what its runtime has for it. The service decides which there are; one that names none gets
 * all that its runtime describes.
 */
export function mergeComponents({ spec }: InferenceService, runtime: RuntimeSpec): ComponentSpecs {
  const wished = componentNames.filter((name) => spec[name] !== undefined);
  const names = wished.length > 0 ? wished : componentNames.filter((name) => templateOf(runtime, name) !== undefined);
  const merged: Partial<Record<ComponentName, ComponentSpec>> = {};
  for (const name of names) merged[name] = mergeComponent(templateOf(runtime, name), spec[name] ?? {});
  return merged;
}

function templateOf(runtime: RuntimeSpec, name: ComponentName): ComponentSpec | undefined {
  const template = runtime[`${name}Config`];
  if (template !== undefined || name !== "engine" || runtime.containers === undefined) return template;
  return legacyTemplate(runtime);
}

/** Runtimes from before components have the fields of a pod themselves. */
function legacyTemplate(runtime: RuntimeSpec): ComponentSpec {
  const { containers, volumes, nodeSelector, affinity, tolerations, labels, annotations } = runtime;
  const { imagePullSecrets, schedulerName, hostIPC, dnsPolicy, hostNetwork } = runtime;
  const pod = { containers, volumes, nodeSelector, affinity, tolerations, labels, annotations };
  const all = { ...pod, imagePullSecrets, schedulerName, hostIPC, dnsPolicy, hostNetwork, worker: workerOf(runtime) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ComponentSpec;
}

/** Pods of one group carry the same labels and annotations. */
function workerOf({ workers }: RuntimeSpec): ComponentSpec["worker"] {
  if (workers === undefined) return undefined;
  const { labels, annotations, ...pod } = workers;
  return pod as ComponentSpec["worker"];
}

function mergeComponent(template: ComponentSpec | undefined, service: ComponentSpec): ComponentSpec {
  if (template === undefined) return service;
  // Which accelerator it is to be is the service's to say.
  const { acceleratorOverride: _, ...base } = template;
  return merge(base, service, componentSchema());
}

/** The schemas say by which key lists of Kubernetes are merged. They are made on first use: reading them takes a moment. */
let schemas: { readonly component: Schema; readonly container: Schema } | undefined;

function readSchemas(): { readonly component: Schema; readonly container: Schema } {
  const pod = builtInSchema("", "v1", "Pod")?.properties?.spec;
  const container = pod?.properties?.containers?.items as Schema;
  const group: Schema = { type: "object", properties: { ...pod?.properties, runner: container } };
  const deploymentStrategy: Schema = { type: "object", "x-kubernetes-patch-strategy": "replace" };
  const properties = { ...group.properties, leader: group, worker: group, deploymentStrategy };
  return { component: { type: "object", properties }, container };
}

const componentSchema = (): Schema => {
  schemas ??= readSchemas();
  return schemas.component;
};

function merge<T>(base: object, patch: object, schema: Schema): T {
  return applyStrategicMergePatch(cloneJson(base) as Json, cloneJson(patch) as Json, schema) as unknown as T;
}

/** The runner laid over the container of its name, or beside those there are. Arguments of both are kept, the container's first. */
export function mergeRunner(containers: readonly api.Container[], runner: api.Container): api.Container[] {
  const at = containers.findIndex(({ name }) => name === runner.name);
  const base = containers[at];
  if (base === undefined) return [runner, ...containers];
  schemas ??= readSchemas();
  const merged = merge<api.Container & JsonObject>(base, runner, schemas.container);
  const args = [...(base.args ?? []), ...(runner.args ?? [])];
  const whole = args.length === 0 ? merged : { ...merged, args };
  return containers.with(at, whole);
}
