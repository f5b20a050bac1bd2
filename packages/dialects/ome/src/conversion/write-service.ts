import type { AssumedField, PortableService, WrittenFields, WrittenService } from "@trivium/domain";
import { engineOfImage, launchOf, servingAnnotations, writtenObject } from "@trivium/engines";
import { apiVersionOf } from "@trivium/kube";
import { parseSourceUri } from "@trivium/std";
import { BaseModel } from "../kinds/base-model.ts";
import { InferenceService } from "../kinds/inference-service.ts";
import { ServingRuntime } from "../kinds/serving-runtime.ts";
import { engineFor, runtimeFor } from "./runtime-for.ts";

/** A BaseModel, a ServingRuntime for its format, and an InferenceService of the same name. */
export function writeService(service: PortableService): WrittenService {
  const { name, namespace, labels, annotations, modelName = name, source, token } = service;
  const { scheme } = parseSourceUri(source);
  if (scheme === "http")
    return { is: "impossible", why: "OME does not download from web addresses", instead: ["llmkube"] };
  const storage = {
    storageUri: source.replace(/^file:\/\//, "local://"),
    key: token?.name,
    parameters: token === undefined || token.key === "token" ? undefined : { secretKey: token.key },
  };
  const modelFormat = service.format === undefined ? undefined : { name: service.format };
  const objects = [
    { of: BaseModel, metadata: { name: modelName, namespace, labels }, spec: { modelFormat, storage } },
    { of: ServingRuntime, metadata: { name, namespace, labels }, spec: runtimeFor(service) },
    { of: InferenceService, metadata: { name, namespace, labels, annotations }, spec: specOf(service) },
  ];
  return {
    is: "written",
    objects: objects.map(({ of, ...rest }) => writtenObject({ apiVersion: apiVersionOf(of), kind: of.kind, ...rest })),
    fields: fieldsOf(service),
    assumed: assumedIn(service),
  };
}

/** A service that named a runtime of the cluster gets it back, and one whose image has no place in the other API its image. */
function assumedIn({ image }: PortableService): AssumedField[] {
  const runtime = ["name", "kind"].map((field) => ({ kind: InferenceService.kind, path: ["spec", "runtime", field] }));
  const path = ["spec", "engineConfig", "runner", "image"];
  return image === undefined ? [...runtime, { kind: ServingRuntime.kind, path }] : runtime;
}

function specOf(service: PortableService) {
  const { name, modelName = name, imagePullSecrets } = service;
  return {
    model: { name: modelName, kind: BaseModel.kind },
    runtime: { name, kind: ServingRuntime.kind },
    engine: {
      ...scaleOf(service),
      nodeSelector: service.nodeSelector,
      tolerations: service.tolerations,
      affinity: service.affinity,
      serviceAccountName: service.serviceAccountName,
      imagePullSecrets: imagePullSecrets?.map((secret) => ({ name: secret })),
    },
  };
}

function scaleOf({ replicas = 1, minReplicas, maxReplicas }: PortableService) {
  if (maxReplicas !== undefined) return { minReplicas, maxReplicas };
  return { minReplicas: replicas, maxReplicas: Math.max(1, replicas) };
}

const isEngineOf = ({ engine, image }: PortableService): boolean =>
  image === undefined ? engine !== "generic" : engine === undefined || engineOfImage(image) === engine;

const inModel = (path: string) => ({ at: `${BaseModel.kind} spec.${path}` });
const inRuntime = (path: string) => ({ at: `${ServingRuntime.kind} spec.engineConfig.${path}` });
const inService = (path: string) => ({ at: `${InferenceService.kind} spec.${path}` });

/** Parts without a field here: checksum, memory and models of GPUs; arguments of an engine whose flags are unknown. */
function fieldsOf(service: PortableService): WrittenFields {
  const { files, isWhole, replicas, gpuCount = 0 } = service;
  const launch = launchOf(engineFor(service));
  const args = inRuntime("runner.args");
  const stopped = `it stops when idle; annotation ${servingAnnotations.stopped}: "true" keeps it stopped`;
  return {
    labels: { at: "metadata.labels" },
    source: inModel("storage.storageUri"),
    files: {
      ...inModel("storage.storageUri"),
      differs:
        files.length > 0 && isWhole !== true
          ? "OME downloads whole repositories, and this one can have several models"
          : undefined,
    },
    format: inModel("modelFormat.name"),
    token: inModel("storage.key"),
    modelName: inService("model.name"),
    modelScope: { at: BaseModel.kind, differs: "the model is written for one namespace" },
    ...(launch === undefined ? {} : { servedName: args, contextTokens: args, parallelRequests: args }),
    ...(launch?.toolCalls === undefined ? {} : { toolCalls: args }),
    engine: { ...inRuntime("runner.image"), differs: isEngineOf(service) ? undefined : "the image selects the engine" },
    image: inRuntime("runner.image"),
    command: inRuntime("runner.command"),
    args,
    env: inRuntime("runner.env"),
    imagePullSecrets: inService("engine.imagePullSecrets"),
    serviceAccountName: inService("engine.serviceAccountName"),
    replicas: { ...inService("engine.minReplicas"), differs: replicas === 0 ? stopped : undefined },
    minReplicas: inService("engine.minReplicas"),
    maxReplicas: inService("engine.maxReplicas"),
    cpu: inRuntime("runner.resources.requests.cpu"),
    cpuLimit: inRuntime("runner.resources.limits.cpu"),
    memory: inRuntime("runner.resources.requests.memory"),
    memoryLimit: inRuntime("runner.resources.limits.memory"),
    gpuCount: inRuntime("runner.resources.limits"),
    ...(gpuCount === 0 ? {} : { gpuResource: inRuntime("runner.resources.limits") }),
    nodeSelector: inService("engine.nodeSelector"),
    tolerations: inService("engine.tolerations"),
    affinity: inService("engine.affinity"),
  };
}
