import { type FieldError, forbidden, invalid } from "@trivium/schema";
import type { ServingRuntime } from "../kinds/serving-runtime.ts";

/** What is wrong with a runtime by itself. One that is disabled may be unfinished. */
export function faultsOfRuntime({ spec }: ServingRuntime): FieldError[] {
  if (spec.disabled === true) return [];
  return [...faultsOfWorkers(spec), ...faultsOfPriorities(spec)];
}

type Spec = ServingRuntime["spec"];

/** Worker pods of the older form; where prefill and decode run apart they do not count. */
function faultsOfWorkers(spec: Spec): FieldError[] {
  if (spec.engineConfig !== undefined && spec.decoderConfig !== undefined) return [];
  const { workers, containers = [] } = spec;
  if (workers !== undefined && (workers.size ?? 0) <= 0)
    return [invalid("spec.workers.size", workers.size ?? 0, "must be greater than 0")];
  const modes = containers.flatMap(({ env = [] }) => env.filter(({ name }) => name === "DEPLOYMENT_MODE"));
  if (modes.some(({ value }) => value === "MultiNode") && workers === undefined)
    return [forbidden("spec.containers", "DEPLOYMENT_MODE=MultiNode requires spec.workers.size")];
  if (modes.some(({ value }) => value === "RawDeployment") && workers !== undefined)
    return [forbidden("spec.workers", "DEPLOYMENT_MODE=RawDeployment and spec.workers are mutually exclusive")];
  return [];
}

/** Entries of one name that may be chosen must agree on how much they are preferred. */
function faultsOfPriorities({ supportedModelFormats }: Spec): FieldError[] {
  const seen = new Map<string, number | undefined>();
  return supportedModelFormats.flatMap(({ name, autoSelect, priority }, at) => {
    if (autoSelect !== true || !name) return [];
    if (!seen.has(name)) {
      seen.set(name, priority);
      return [];
    }
    if (seen.get(name) === priority) return [];
    const detail = `another entry named ${name} with autoSelect: true has a different priority`;
    return [invalid(`spec.supportedModelFormats[${at}].priority`, priority ?? 0, detail)];
  });
}
