import type { PortableService, WrittenFields, WrittenService } from "@trivium/domain";
import { tokenVariable, writtenObject } from "@trivium/engines";
import { apiVersionOf } from "@trivium/kube";
import { parseSourceUri } from "@trivium/std";
import { InferenceService } from "../kinds/inference-service.ts";
import { Model } from "../kinds/model.ts";
import { gpuFields } from "./gpu-vendor.ts";

/** A Model, and an InferenceService of the same name unless the model has its own. */
export function writeService(service: PortableService): WrittenService {
  const { name, namespace, labels, annotations, modelName = name, source } = service;
  const { scheme } = parseSourceUri(source);
  if (!["hub", "http", "file", "pvc", "s3"].includes(scheme))
    return { is: "impossible", why: `LLMKube does not download from ${source}`, instead: ["ome"] };
  const metadata = { name, namespace, labels, annotations };
  const model = { kind: Model.kind, metadata: { name: modelName, namespace, labels }, spec: modelSpec(service) };
  const own = { kind: InferenceService.kind, metadata, spec: { modelRef: modelName, ...serviceSpec(service) } };
  return {
    is: "written",
    objects: [
      { apiVersion: apiVersionOf(Model), ...model },
      { apiVersion: apiVersionOf(InferenceService), ...own },
    ].map(writtenObject),
    fields: fieldsOf(service),
    // The engine follows from the format where none was stated.
    assumed: service.engine === undefined ? [{ kind: InferenceService.kind, path: ["spec", "runtime"] }] : [],
  };
}

function modelSpec(service: PortableService) {
  const { format, sha256, gpuCount = 0, gpuMemory } = service;
  const { accelerator, ...named } = gpuFields(service.gpuResource);
  const gpu = { enabled: true, count: gpuCount, memory: gpuMemory, ...named };
  return {
    ...sourceOf(service),
    format: format === "gguf" ? undefined : format,
    sha256,
    hardware: gpuCount === 0 ? undefined : { accelerator, gpu },
  };
}

function serviceSpec(service: PortableService) {
  const { cpu, memory, token, env = [], engine = engineFor(service), args, imagePullSecrets } = service;
  const variables = [...(token === undefined ? [] : [tokenVariable(token)]), ...env];
  return {
    runtime: engine === "llamacpp" ? undefined : engine,
    image: service.image,
    command: service.command,
    [engine === "generic" ? "args" : "extraArgs"]: args,
    ...scaleOf(service),
    contextSize: within(contextBounds, service.contextTokens),
    parallelSlots: within(slotBounds, service.parallelRequests),
    jinja: service.toolCalls,
    resources: cpu === undefined && memory === undefined ? undefined : { cpu, memory },
    env: variables.length === 0 ? undefined : variables,
    imagePullSecrets: imagePullSecrets?.map((secret) => ({ name: secret })),
    nodeSelector: service.nodeSelector,
    tolerations: service.tolerations,
    affinity: service.affinity,
  };
}

type Bounds = readonly [number, number];
const contextBounds: Bounds = [128, 2_097_152];
const slotBounds: Bounds = [1, 64];

/** A value that this API accepts; others are kept, not bent. */
const within = ([min, max]: Bounds, value: number | undefined): number | undefined =>
  value === undefined || value < min || value > max ? undefined : value;

/** Other formats than GGUF need another engine than the default one. */
const engineFor = ({ format }: PortableService): "llamacpp" | "vllm" =>
  format === "safetensors" ? "vllm" : "llamacpp";

const mostReplicas = 10;

function scaleOf({ replicas, minReplicas, maxReplicas }: PortableService) {
  if (maxReplicas !== undefined) return { autoscaling: { minReplicas: minimum(minReplicas), maxReplicas } };
  return { replicas: replicas === undefined ? undefined : Math.min(replicas, mostReplicas) };
}

const minimum = (stated: number | undefined): number | undefined =>
  stated === undefined ? undefined : Math.min(Math.max(stated, 1), mostReplicas);

/** One file of a repository is part of the address; several are a list. */
function sourceOf({ source, files }: Pick<PortableService, "source" | "files">) {
  const uri = parseSourceUri(source);
  // This API takes what follows `file://` as it is, without escapes.
  if (uri.scheme === "file") return { source: `file://${uri.path}` };
  const [only, ...more] = files;
  if (only === undefined) return { source };
  return more.length === 0 ? { source: fileUri(source, only) } : { source, files: [...files] };
}

/** In this API the revision comes last: `hf://org/repo/file@revision`. */
function fileUri(source: string, file: string): string {
  const uri = parseSourceUri(source);
  if (uri.scheme !== "hub") return `${source}/${file}`;
  return `hf://${uri.repo}/${file}${uri.revision === undefined ? "" : `@${uri.revision}`}`;
}

const inModel = (path: string) => ({ at: `${Model.kind} spec.${path}` });
const inService = (path: string) => ({ at: `${InferenceService.kind} spec.${path}` });

/** Parts without a field here: served name, account, limits, GPU models. */
function fieldsOf(service: PortableService): WrittenFields {
  const { engine, replicas = 0, minReplicas = 1, gpuCount = 0, contextTokens, parallelRequests } = service;
  const fewer = `LLMKube allows at most ${mostReplicas}`;
  const scale =
    minReplicas === 0
      ? "LLMKube keeps at least 1; set annotation trivium.dev/idle-timeout to stop it when idle"
      : undefined;
  return {
    labels: { at: "metadata.labels" },
    source: inModel("source"),
    files: inModel("files"),
    format: inModel("format"),
    sha256: inModel("sha256"),
    modelName: inService("modelRef"),
    modelScope: { at: Model.kind, differs: "LLMKube has no models for all namespaces; copy it into each namespace" },
    token: inService("env"),
    engine: inService("runtime"),
    ...(within(contextBounds, contextTokens) === undefined ? {} : { contextTokens: inService("contextSize") }),
    ...(within(slotBounds, parallelRequests) === undefined ? {} : { parallelRequests: inService("parallelSlots") }),
    toolCalls: inService("jinja"),
    image: inService("image"),
    command: inService("command"),
    args: inService(engine === "generic" ? "args" : "extraArgs"),
    env: inService("env"),
    imagePullSecrets: inService("imagePullSecrets"),
    replicas: { ...inService("replicas"), differs: replicas > mostReplicas ? fewer : undefined },
    minReplicas: { ...inService("autoscaling.minReplicas"), differs: minReplicas > mostReplicas ? fewer : scale },
    maxReplicas: inService("autoscaling.maxReplicas"),
    cpu: inService("resources.cpu"),
    memory: inService("resources.memory"),
    gpuCount: inModel("hardware.gpu.count"),
    ...(gpuCount === 0 ? {} : { gpuResource: inModel("hardware.gpu"), gpuMemory: inModel("hardware.gpu.memory") }),
    nodeSelector: inService("nodeSelector"),
    tolerations: inService("tolerations"),
    affinity: inService("affinity"),
  };
}
