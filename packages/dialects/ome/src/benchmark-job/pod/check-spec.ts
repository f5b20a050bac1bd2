import { readScenario } from "@trivium/engines";
import type { ObjectOf } from "@trivium/kube";
import type { BenchmarkJob as Kind } from "../../kinds/benchmark-job.ts";
import { parseStorageUri } from "../../storage/uri.ts";

export type BenchmarkJob = ObjectOf<typeof Kind>;

/** What is wrong with a field that a user wrote. */
export interface SpecFault {
  readonly field: string;
  readonly detail: string;
}

export interface Faulty {
  readonly is: "faulty";
  readonly fault: SpecFault;
}

export const faulty = (field: string, detail: string): Faulty => ({ is: "faulty", fault: { field, detail } });

export const formatFault = ({ field, detail }: SpecFault): string => `${field}: ${detail}`;

/** The first fault of what a user wrote; only that is checked, never the tool's own choices. */
export function faultOfSpec({ spec }: BenchmarkJob): SpecFault | undefined {
  const { endpoint, task, trafficScenarios = [], numConcurrency = [], dataset } = spec;
  if ((endpoint.endpoint === undefined) === (endpoint.inferenceService === undefined))
    return { field: "spec.endpoint", detail: "set exactly one of inferenceService and endpoint" };
  const url = endpoint.endpoint?.url;
  if (url !== undefined && !/^https?:\/\/[^/@\s]+/.test(url))
    return {
      field: "spec.endpoint.endpoint.url",
      detail: "must be an http:// or https:// URL with a host and without credentials",
    };
  for (const text of trafficScenarios) {
    const read = readScenario(text, task);
    if (read.is === "faulty") return { field: "spec.trafficScenarios", detail: read.why };
  }
  if (numConcurrency.some((count) => count < 1))
    return { field: "spec.numConcurrency", detail: "values must be at least 1" };
  if (spec.maxTimePerIteration < 1) return { field: "spec.maxTimePerIteration", detail: "must be at least 1" };
  if (spec.maxRequestsPerIteration < 1) return { field: "spec.maxRequestsPerIteration", detail: "must be at least 1" };
  if (task.startsWith("image") && dataset === undefined)
    return { field: "spec.dataset", detail: `${task} requires a dataset with images` };
  return faultOfParams(spec.additionalRequestParams ?? {}) ?? faultOfFolder(spec.resultFolderName);
}

function faultOfParams(params: Readonly<Record<string, string>>): SpecFault | undefined {
  const { temperature, ignore_eos: ignoreEos } = params;
  if (temperature !== undefined && !/^\d+(\.\d+)?$/.test(temperature))
    return { field: "spec.additionalRequestParams.temperature", detail: "must be a number" };
  if (ignoreEos !== undefined && !["true", "false"].includes(ignoreEos))
    return { field: "spec.additionalRequestParams.ignore_eos", detail: "must be true or false" };
  return undefined;
}

function faultOfFolder(name: string | undefined): SpecFault | undefined {
  if (name === undefined || (/^[\w.-]{1,200}$/.test(name) && !/^\.+$/.test(name))) return undefined;
  return { field: "spec.resultFolderName", detail: "must be a folder name without slashes" };
}

/** Of something that is stored: the place, or what is wrong with its address. */
export function readPlace(field: string, storageUri: string) {
  const uri = parseStorageUri(storageUri);
  return uri.scheme === "invalid" ? faulty(`${field}.storageUri`, uri.why) : ({ is: "place", uri } as const);
}
