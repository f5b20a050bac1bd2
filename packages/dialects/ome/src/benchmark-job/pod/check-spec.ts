import { readScenario } from "@trivium/engines";
import type { ObjectOf } from "@trivium/kube";
import type { BenchmarkJob as Kind } from "../../kinds/benchmark-job.ts";
import { parseStorageUri } from "../../storage/uri.ts";

export type BenchmarkJob = ObjectOf<typeof Kind>;

/** What is wrong with what a person wrote, the first of it; only that is checked, never the tool's own choices. */
export function faultOfSpec({ spec }: BenchmarkJob): string | undefined {
  const { endpoint, task, trafficScenarios = [], numConcurrency = [], dataset } = spec;
  if ((endpoint.endpoint === undefined) === (endpoint.inferenceService === undefined))
    return "spec.endpoint: set exactly one of inferenceService and endpoint";
  const url = endpoint.endpoint?.url;
  if (url !== undefined && !/^https?:\/\/[^/@\s]+/.test(url))
    return "spec.endpoint.endpoint.url must be an http:// or https:// URL with a host and without credentials";
  for (const text of trafficScenarios) {
    const read = readScenario(text, task);
    if (read.is === "faulty") return `spec.trafficScenarios: ${read.why}`;
  }
  if (numConcurrency.some((count) => count < 1)) return "spec.numConcurrency: values must be at least 1";
  if (spec.maxTimePerIteration < 1) return "spec.maxTimePerIteration must be at least 1";
  if (spec.maxRequestsPerIteration < 1) return "spec.maxRequestsPerIteration must be at least 1";
  if (task.startsWith("image") && dataset === undefined) return `spec.dataset: ${task} requires a dataset with images`;
  return faultOfParams(spec.additionalRequestParams ?? {}) ?? faultOfFolder(spec.resultFolderName);
}

function faultOfParams(params: Readonly<Record<string, string>>): string | undefined {
  const { temperature, ignore_eos: ignoreEos } = params;
  if (temperature !== undefined && !/^\d+(\.\d+)?$/.test(temperature))
    return "spec.additionalRequestParams.temperature must be a number";
  if (ignoreEos !== undefined && !["true", "false"].includes(ignoreEos))
    return "spec.additionalRequestParams.ignore_eos must be true or false";
  return undefined;
}

function faultOfFolder(name: string | undefined): string | undefined {
  if (name === undefined || (/^[\w.-]{1,200}$/.test(name) && !/^\.+$/.test(name))) return undefined;
  return "spec.resultFolderName must be a folder name without slashes";
}

/** Of something that is stored: the place, or what is wrong with its address. */
export function readPlace(field: string, storageUri: string) {
  const uri = parseStorageUri(storageUri);
  return uri.scheme === "invalid"
    ? ({ is: "faulty", why: `${field}.storageUri: ${uri.why}` } as const)
    : ({ is: "place", uri } as const);
}
