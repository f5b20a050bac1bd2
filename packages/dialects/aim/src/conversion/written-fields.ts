import type { PortableService, WrittenFields } from "@trivium/domain";
import { AIMModel } from "../kinds/model.ts";
import { AIMService } from "../kinds/service.ts";
import { imageToWrite } from "./engine-image.ts";

const at = (path: string) => ({ at: `${AIMService.kind} spec.${path}` });

/** Where the parts of a custom model are: in the service, or in a model with a name of its own. */
function placesOf(service: PortableService) {
  if (service.modelName === undefined || imageToWrite(service) === undefined)
    return {
      sources: at("model.custom.modelSources[0]").at,
      hardware: at("model.custom.hardware").at,
      image: at("model.custom.baseImage"),
    };
  const inModel = `${AIMModel.kind} spec`;
  return {
    sources: `${inModel}.modelSources[0]`,
    hardware: `${inModel}.custom.hardware`,
    image: { at: `${inModel}.image` },
  };
}

/** Parts without a field in this API: checksum, context, parallel requests, command, arguments, scheduling. */
export function fieldsOf(service: PortableService): WrittenFields {
  const { minReplicas = 1 } = service;
  return {
    labels: { at: "metadata.labels" },
    ...weightFields(service),
    token: at("env"),
    engine: { ...placesOf(service).image, differs: "the base image selects the engine" },
    ...(imageToWrite(service) === undefined ? {} : { image: placesOf(service).image }),
    env: at("env"),
    imagePullSecrets: at("imagePullSecrets"),
    serviceAccountName: at("serviceAccountName"),
    replicas: at("replicas"),
    minReplicas: { ...at("minReplicas"), differs: minReplicas < 1 ? "AIM keeps at least 1" : undefined },
    maxReplicas: at("maxReplicas"),
    ...resourceFields(service),
  };
}

function weightFields(service: PortableService): WrittenFields {
  const { files, isWhole, servedName = "" } = service;
  const { sources } = placesOf(service);
  const inline = imageToWrite(service) === undefined ? "the model is part of the AIMService" : undefined;
  return {
    source: { at: `${sources}.sourceUri` },
    files: {
      at: `${sources}.sourceUri`,
      differs: files.length > 1 && isWhole !== true ? "AIM downloads the whole repository" : undefined,
    },
    format: { at: `${sources}.sourceUri`, differs: "AIM reads the format from the weights" },
    servedName: {
      at: `${sources}.modelId`,
      differs: isModelId(servedName) ? undefined : "AIM requires organization/name",
    },
    modelName: { ...at("model"), differs: inline },
    modelScope: { ...at("model"), differs: inline ?? "the model is written for one namespace" },
  };
}

function resourceFields(service: PortableService): WrittenFields {
  const { hardware } = placesOf(service);
  const limits = { memory: at("resources.requests.memory"), memoryLimit: at("resources.limits.memory") };
  if ((service.gpuCount ?? 0) === 0)
    return {
      ...limits,
      gpuCount: { at: hardware },
      cpu: { at: `${hardware}.cpu.requests` },
      cpuLimit: { at: `${hardware}.cpu.limits` },
    };
  return {
    ...limits,
    cpu: at("resources.requests.cpu"),
    cpuLimit: at("resources.limits.cpu"),
    gpuCount: { at: `${hardware}.gpu.requests` },
    gpuResource: { at: `${hardware}.gpu.resourceName` },
    gpuMemory: { at: `${hardware}.gpu.minVram` },
    gpuModels: { at: `${hardware}.gpu.models` },
  };
}

export const isModelId = (name: string): boolean => /^[a-zA-Z0-9_-]+\/[a-zA-Z0-9._-]+$/.test(name);
