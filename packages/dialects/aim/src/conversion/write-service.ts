import type { AssumedField, PortableService, WrittenService } from "@trivium/domain";
import { tokenVariable, writtenObject } from "@trivium/engines";
import { type AnyObject, apiVersionOf } from "@trivium/kube";
import { parseSourceUri } from "@trivium/std";
import { AIMModel } from "../kinds/model.ts";
import { AIMService } from "../kinds/service.ts";
import { imageToWrite } from "./engine-image.ts";
import { fieldsOf, isModelId } from "./written-fields.ts";

/** An AIMService with a custom model: its template and its cache follow from it. A model with a name and an image is an object of its own. */
export function writeService(service: PortableService): WrittenService {
  const why = whyNot(service);
  if (why !== undefined) return { is: "impossible", why, instead: ["llmkube"] };
  const { name, namespace, labels, annotations } = service;
  const metadata = { name, namespace, labels, annotations };
  const own = writtenObject({
    apiVersion: apiVersionOf(AIMService),
    kind: AIMService.kind,
    metadata,
    spec: specOf(service),
  });
  const model = modelOf(service);
  return {
    is: "written",
    objects: model === undefined ? [own] : [model, own],
    fields: fieldsOf(service),
    assumed: assumedIn(service),
  };
}

const hasModel = (service: PortableService): boolean =>
  service.modelName !== undefined && imageToWrite(service) !== undefined;

function modelOf(service: PortableService): AnyObject | undefined {
  if (!hasModel(service)) return undefined;
  const { modelName, namespace, labels } = service;
  const { modelSources, hardware, baseImage } = customOf(service);
  const metadata = { name: modelName, namespace, labels };
  const spec = { image: baseImage, modelSources, custom: { hardware } };
  return writtenObject({ apiVersion: apiVersionOf(AIMModel), kind: AIMModel.kind, metadata, spec });
}

function specOf(service: PortableService) {
  const { imagePullSecrets, token, env = [] } = service;
  const variables = [...(token === undefined ? [] : [tokenVariable(token)]), ...env];
  return {
    model: hasModel(service) ? { ref: service.modelName } : { custom: customOf(service) },
    ...scaleOf(service),
    resources: resourcesOf(service),
    env: variables.length === 0 ? undefined : variables,
    imagePullSecrets: imagePullSecrets?.map((secret) => ({ name: secret })),
    serviceAccountName: service.serviceAccountName,
  };
}

const isGguf = (file: string): boolean => /\.gguf$/i.test(file);

function whyNot({ source, files, isWhole }: PortableService): string | undefined {
  const uri = parseSourceUri(source);
  if (uri.scheme === "http") return "AIM does not download from web addresses";
  if (uri.scheme !== "hub" && uri.scheme !== "s3" && uri.scheme !== "file") return `AIM does not read ${source}`;
  if (uri.scheme === "s3" && uri.region !== undefined) return `AIM accepts no region in ${source}`;
  if (uri.scheme === "s3" && /\s/.test([source, ...files].join())) return `AIM accepts no spaces in ${source}`;
  if (files.length > 1 && isWhole !== true && files.some(isGguf))
    return "AIM downloads one file or a whole repository, not a split model among others";
  return undefined;
}

/** One file of a repository or folder is part of the address. White space is written `%20`: this API accepts none. */
function sourceUriOf({ source, files }: PortableService): string {
  const [only, ...more] = files;
  const isKey = parseSourceUri(source).scheme === "s3";
  const uri =
    only === undefined || more.length > 0 ? source : `${source}/${isKey ? only : only.replaceAll("%", "%25")}`;
  return isKey ? uri : uri.replace(/\s/g, encodeURIComponent);
}

function customOf(service: PortableService) {
  const { name, servedName = `custom/${name}`, gpuCount = 0, gpuMemory, cpu, cpuLimit } = service;
  const gpu = {
    requests: gpuCount,
    models: service.gpuModels,
    minVram: gpuMemory,
    resourceName: service.gpuResource ?? "nvidia.com/gpu",
  };
  const hardware = gpuCount > 0 ? { gpu } : { cpu: { requests: cpu ?? defaultCpu, limits: cpuLimit } };
  return {
    modelSources: [{ modelId: modelIdOf(servedName), sourceUri: sourceUriOf(service) }],
    hardware,
    baseImage: imageToWrite(service),
  };
}

/** One of them must be stated; a small request fits everywhere. */
const defaultCpu = "250m";

const modelIdOf = (name: string): string =>
  isModelId(name) ? name : `custom/${name.replace(/[^a-zA-Z0-9._-]+/g, "-")}`;

function scaleOf({ replicas, minReplicas, maxReplicas }: PortableService) {
  if (maxReplicas === undefined) return { replicas };
  return { minReplicas: minReplicas === undefined ? undefined : Math.max(1, minReplicas), maxReplicas };
}

function resourcesOf({ gpuCount = 0, cpu, cpuLimit, memory, memoryLimit }: PortableService) {
  const own = gpuCount > 0 ? { cpu, cpuLimit } : {};
  const requests = { cpu: own.cpu, memory };
  const limits = { cpu: own.cpuLimit, memory: memoryLimit };
  return { requests, limits };
}

/** Values that this API requires and nobody stated. */
function assumedIn(service: PortableService): AssumedField[] {
  const { servedName, gpuCount = 0, cpu } = service;
  const { kind, sources, hardware } = hasModel(service)
    ? { kind: AIMModel.kind, sources: ["spec", "modelSources"], hardware: ["spec", "custom", "hardware"] }
    : {
        kind: AIMService.kind,
        sources: ["spec", "model", "custom", "modelSources"],
        hardware: ["spec", "model", "custom", "hardware"],
      };
  return [
    ...(servedName === undefined ? [{ kind, path: [...sources, "0", "modelId"] }] : []),
    ...(gpuCount === 0 && cpu === undefined ? [{ kind, path: [...hardware, "cpu", "requests"] }] : []),
  ];
}
