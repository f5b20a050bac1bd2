import type { PortableEngine, PortableKey, PortableService, ReadService } from "@trivium/domain";
import {
  type FieldReader,
  formatLaunch,
  openFields,
  parseSettings,
  takeBounds,
  takeEnv,
  takeFirst,
} from "@trivium/engines";
import type { AnyObject } from "@trivium/kube";
import { formatFileUri, formatHubUri, parseQuantity, parseSourceUri } from "@trivium/std";
import { gpuCount, planGpu } from "../hardware/gpu-plan.ts";
import type { InferenceService } from "../kinds/inference-service.ts";
import { Model } from "../kinds/model.ts";
import { parseSource } from "../weights/source.ts";

/** An InferenceService and its Model as a portable service. */
export function readService(object: AnyObject, others: readonly AnyObject[]): ReadService {
  const service = openFields(object);
  const modelName = service.take<string>("modelName", "spec", "modelRef") ?? "";
  const found = others.find(({ kind, metadata }) => kind === Model.kind && metadata.name === modelName);
  const { name = "", namespace } = object.metadata;
  if (found === undefined)
    return { is: "impossible", why: `Model ${modelName} of InferenceService ${name} not found; add it to the file` };
  const model = openFields(found);
  const weights = readWeights(model);
  if (weights === undefined)
    return { is: "impossible", why: `spec.source of Model ${modelName} is not valid; correct it` };
  const labels = service.take<Record<string, string>>("labels", "metadata", "labels") ?? {};
  model.skip("metadata", "labels");
  const portable: PortableService = {
    name,
    namespace,
    labels,
    annotations: service.take("annotations", "metadata", "annotations"),
    modelName: modelName === name ? undefined : modelName,
    ...weights,
    ...readEngine(service),
    ...readPod(service),
    ...readScale(service),
    ...readResources(service, model),
    ...readGpus([service, model], [object, found]),
  };
  return { is: "read", service: portable, fields: [...service.fields(), ...model.fields()] };
}

type Weights = Pick<PortableService, "source" | "files" | "format" | "sha256">;

function readWeights(model: FieldReader): Weights | undefined {
  const text = model.take<string>("source", "spec", "source") ?? "";
  const files = model.take<string[]>("files", "spec", "files") ?? [];
  const place = placeOf(text, files);
  const format = model.skip<string>("spec", "format");
  if (format !== undefined) model.note(isPortable(format) ? "format" : undefined, ["spec", "format"], format);
  return (
    place && {
      ...place,
      format: isPortable(format ?? "gguf") ? ((format ?? "gguf") as PortableService["format"]) : undefined,
      sha256: model.take("sha256", "spec", "sha256"),
    }
  );
}

const isPortable = (format: string | undefined): format is "gguf" | "safetensors" =>
  format === "gguf" || format === "safetensors";

type Place = Required<Pick<PortableService, "source" | "files">>;

function placeOf(text: string, files: readonly string[]): Place | undefined {
  const source = parseSource(text);
  switch (source.is) {
    case "claim":
      return { source: text, files };
    case "bucket":
      return inBucket(text, files);
    case "local":
      return { source: formatFileUri(source.path), files };
    case "repository":
      return { source: formatHubUri({ repo: source.repository, revision: source.revision }), files };
    case "remote": {
      const uri = parseSourceUri(source.uri);
      if (uri.scheme !== "hub" || uri.path === undefined) return { source: source.url, files };
      return { source: formatHubUri({ repo: uri.repo, revision: uri.revision }), files: [uri.path, ...files] };
    }
    case "faulty":
      return undefined;
  }
}

/** One file of a bucket is part of the address in the other APIs. */
function inBucket(source: string, files: readonly string[]): Place {
  const [only, ...more] = files;
  if (only === undefined || more.length > 0) return { source, files };
  return { source: `${source.replace(/\/+$/, "")}/${only}`, files: [] };
}

const engines: readonly string[] = ["llamacpp", "vllm", "sglang", "tgi", "generic"] satisfies PortableEngine[];

function readEngine(service: FieldReader): Partial<PortableService> {
  const runtime = service.skip<PortableEngine>("spec", "runtime");
  const engine = engines.includes(runtime ?? "llamacpp") ? (runtime ?? "llamacpp") : undefined;
  if (runtime !== undefined) service.note(engine === undefined ? undefined : "engine", ["spec", "runtime"], runtime);
  const extra = takeArguments(service, engine ?? "generic");
  const longest = contextPaths[engine ?? "generic"];
  const own = longest === undefined ? undefined : service.take<number>("contextTokens", "spec", ...longest);
  const contextTokens = own ?? service.take<number>("contextTokens", "spec", "contextSize");
  const parallelRequests = service.take<number>("parallelRequests", "spec", "parallelSlots");
  const toolCalls = service.take<boolean>("toolCalls", "spec", "jinja") === true ? true : undefined;
  const listed = engine === "generic" ? service.take<string[]>("args", "spec", "args") : undefined;
  return { engine, contextTokens, parallelRequests, toolCalls, ...extra, args: joined(extra.args, listed) };
}

const contextPaths: Partial<Record<PortableEngine, readonly string[]>> = {
  vllm: ["vllmConfig", "maxModelLen"],
  sglang: ["sglangConfig", "contextLength"],
};

/** Arguments take precedence over fields, so those that have a field elsewhere are read as such. */
function takeArguments(service: FieldReader, engine: PortableEngine): ReturnType<typeof parseSettings> {
  const path = ["spec", "extraArgs"];
  const { args, ...settings } = parseSettings(engine, service.skip<string[]>(...path) ?? []);
  for (const [key, words] of Object.entries(formatLaunch(engine, settings)))
    service.note(key as PortableKey, path, words);
  if (args.length > 0) service.note("args", path, [...args]);
  return { ...settings, args };
}

const joined = (...lists: (readonly string[] | undefined)[]): readonly string[] | undefined => {
  const all = lists.flatMap((list) => list ?? []);
  return all.length === 0 ? undefined : all;
};

/** Settings of engines that can name the Secret of the hub token, in the order of the reconciler. */
const tokenConfigs = ["vllmConfig", "sglangConfig", "tgiConfig", "personaPlexConfig"];

function readPod(service: FieldReader): Partial<PortableService> {
  const { token, env } = takeEnv([[service, "spec", "env"]]);
  const hub = takeFirst<{ name: string; key: string }>(
    "token",
    tokenConfigs.map((config) => [service, "spec", config, "hfTokenSecretRef"]),
  );
  return {
    token: token ?? (hub && { name: hub.name, key: hub.key }),
    env: env.length === 0 ? undefined : env,
    image: service.take("image", "spec", "image"),
    command: service.take("command", "spec", "command"),
    imagePullSecrets: service
      .take<{ name?: string }[]>("imagePullSecrets", "spec", "imagePullSecrets")
      ?.flatMap(({ name }) => name ?? []),
    nodeSelector: service.take("nodeSelector", "spec", "nodeSelector"),
    tolerations: service.take("tolerations", "spec", "tolerations"),
    affinity: service.take("affinity", "spec", "affinity"),
  };
}

function readScale(service: FieldReader): Partial<PortableService> {
  const autoscaling = ["spec", "autoscaling"];
  const bounds = takeBounds(service, { min: [...autoscaling, "minReplicas"], max: [...autoscaling, "maxReplicas"] });
  return bounds ?? { replicas: service.take("replicas", "spec", "replicas") };
}

function readResources(service: FieldReader, model: FieldReader): Partial<PortableService> {
  return {
    gpuMemory: model.take("gpuMemory", ...gpu, "memory"),
    cpu: takeQuantity(service, "cpu") ?? takeQuantity(model, "cpu"),
    memory: takeQuantity(service, "memory") ?? takeQuantity(model, "memory"),
  };
}

/** This API accepts any text for a quantity; others do not. */
function takeQuantity(reader: FieldReader, resource: "cpu" | "memory"): string | undefined {
  const path = ["spec", "resources", resource];
  const stated = reader.peek(path);
  return typeof stated === "string" && parseQuantity(stated) !== undefined ? reader.take(resource, ...path) : undefined;
}

const gpu = ["spec", "hardware", "gpu"] as const;

/** GPUs as the reconciler counts and names them, whichever fields of the two objects say so. */
function readGpus(
  fields: readonly [FieldReader, FieldReader],
  objects: readonly [AnyObject, AnyObject],
): Partial<PortableService> {
  const plan = planGpu(objects[1] as unknown as Model, objects[0] as unknown as InferenceService);
  const [service, model] = fields;
  service.take("gpuCount", "spec", "resources", "gpu");
  for (const field of ["count", "enabled"]) model.take("gpuCount", ...gpu, field);
  if (plan.is !== "resource") return {};
  for (const field of ["vendor", "resourceName", "runtime"]) model.take("gpuResource", ...gpu, field);
  model.take("gpuResource", "spec", "hardware", "accelerator");
  const sharing = ["spec", "resources", "gpuSharing"];
  // A slice is a resource of its own; other ways to share a GPU belong to this API alone.
  if (service.peek([...sharing, "profile"]) !== undefined)
    for (const field of ["mode", "profile"]) service.take("gpuResource", ...sharing, field);
  return { gpuCount: gpuCount(plan), gpuResource: plan.resource };
}
