import { isObject, type Json, type JsonObject, parseQuantity } from "@trivium/std";
import type { BenchmarkOptions, Resources } from "./options.ts";

/** The ConfigMap, in the operator's namespace, by which an administrator changes what benchmarks run with. */
export const configurationName = "benchmarkjob-config";
const entry = "benchmarkjob";

/** What is said there; what is not said is as the operator has it. */
export interface BenchmarkConfiguration {
  readonly image?: string;
  readonly requests: Partial<Resources>;
  readonly limits: Partial<Resources>;
  /** What cannot be read, for a person: then nothing of it counts. */
  readonly fault?: string;
}

const unread = (why: string): BenchmarkConfiguration => ({
  requests: {},
  limits: {},
  fault: `ConfigMap ${configurationName}: ${why}`,
});

export function readConfiguration(data: Readonly<Record<string, string>>): BenchmarkConfiguration {
  const text = data[entry];
  if (text === undefined) return unread(`key ${entry} not found`);
  const found = parsed(text);
  if (found === undefined) return unread(`key ${entry} is not a JSON object with podConfig`);
  const { image, cpuRequest, memoryRequest, cpuLimit, memoryLimit } = found;
  const amounts = { cpuRequest, memoryRequest, cpuLimit, memoryLimit };
  const wrong = Object.entries(amounts).find(([, value]) => value !== undefined && !isAmount(value));
  if (wrong !== undefined) return unread(`podConfig.${wrong[0]} is not a valid quantity`);
  if (image !== undefined && (typeof image !== "string" || image === ""))
    return unread("podConfig.image is not a valid image reference");
  return {
    ...(image === undefined ? {} : { image }),
    requests: resourcesOf(cpuRequest, memoryRequest),
    limits: resourcesOf(cpuLimit, memoryLimit),
  };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const whole: unknown = JSON.parse(text);
    return isObject(whole) && isObject(whole.podConfig) ? whole.podConfig : undefined;
  } catch {
    return undefined;
  }
}

const isAmount = (value: Json): boolean =>
  (typeof value === "string" || typeof value === "number") && parseQuantity(String(value)) !== undefined;

const resourcesOf = (cpu: Json | undefined, memory: Json | undefined): Partial<Resources> => ({
  ...(cpu === undefined ? {} : { cpu: String(cpu) }),
  ...(memory === undefined ? {} : { memory: String(memory) }),
});

/** Of an amount that is said on one side the other side's usual one could be above it or below; it does not count then. */
export function configured(options: BenchmarkOptions, given: BenchmarkConfiguration | undefined): BenchmarkOptions {
  if (given === undefined) return options;
  const { image = options.image, requests, limits } = given;
  const defaultsOf = (amounts: Partial<Resources>): Partial<Resources> =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => !(name in requests) && !(name in limits)));
  return {
    ...options,
    image,
    requests: { ...defaultsOf(options.requests), ...requests },
    limits: { ...defaultsOf(options.limits), ...limits },
  };
}
