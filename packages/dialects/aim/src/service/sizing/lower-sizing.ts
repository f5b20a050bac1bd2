import type { SizingIntent, SizingRequest } from "@trivium/domain";
import {
  engineFamilyOf,
  hasOpenHostMemory,
  hostMemoryOf,
  parseSizingArguments,
  planSizing,
  type SizingFacts,
  servingStyles,
  sizedModelOf,
} from "@trivium/engines";
import { bytesOf } from "../../storage/claim-size.ts";
import { isRunning, type ObservedService, type ObservedTemplate } from "../observed/observed-service.ts";
import { baseArguments, imageOf } from "../pod/container.ts";
import { statedArguments } from "../pod/engine-arguments.ts";
import type { ServerInput } from "../roles/server-input.ts";
import { gpuCountOf, gpuModelsOf } from "../selection/template-facts.ts";
import { modelIdOf, sourcesOf } from "../weights/sources.ts";
import { isFitKnown, isOnCpu } from "./observe-memory.ts";

type SizedInput = Pick<ServerInput, "template" | "resources">;
type LaunchedInput = Pick<ServerInput, "template" | "resources" | "model" | "adapters" | "options" | "env">;

/** The question whether the model fits where it is to run; nothing where the size of the weights or of the memory is unknown. */
export function lowerSizing(input: ServerInput, observed: ObservedService): SizingIntent | undefined {
  if (isFitKnown(input.service, observed)) return undefined;
  const { template } = input;
  const isOnGpus = gpuCountOf(template) > 0;
  const request = isOnGpus ? gpuRequest(input, observed) : cpuRequest(input, observed);
  if (request === undefined) return undefined;
  return {
    request,
    subject: sourcesOf(template).map(modelIdOf).join(" with "),
    field: "spec.resources.requests.memory",
    ...(isOnGpus
      ? { isDeviceOnly: true, gpuField: "spec.overrides.hardware.gpu, or another template in spec.templateRef" }
      : { nodeBytes: hasOpenHostMemory(input.resources) ? observed.nodeBytes : undefined }),
    // What runs is not stopped, whatever the figures say.
    hasServed: isRunning(observed),
  };
}

/** Whether the size of the weights is all that is missing to know if they fit. */
export function awaitsSize(input: SizedInput, observed: ObservedService): boolean {
  const { template, resources } = input;
  if (isRunning(observed) || weightBytesOf(template, observed) !== undefined) return false;
  return gpuCountOf(template) > 0
    ? largestGpu(template, observed) !== undefined
    : observed.nodeBytes !== undefined && isOnCpu(template) && hasOpenHostMemory(resources);
}

function cpuRequest(input: LaunchedInput, observed: ObservedService): SizingRequest | undefined {
  const { template, resources } = input;
  const { nodeBytes } = observed;
  if (nodeBytes === undefined || !isOnCpu(template)) return undefined;
  return planSizing({
    weightBytes: weightBytesOf(template, observed),
    ...measuresOf(input, observed),
    host: hostMemoryOf(resources, nodeBytes),
    style: servingStyles.local,
  });
}

/** The largest of the GPUs that would do: what does not fit there fits nowhere. */
function largestGpu(template: ObservedTemplate, { gpuBytes = {} }: ObservedService): [string, number] | undefined {
  const models = gpuModelsOf(template);
  const available = Object.entries(gpuBytes).filter(([model]) => models.length === 0 || models.includes(model));
  return available.sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))[0];
}

function gpuRequest(input: LaunchedInput, observed: ObservedService): SizingRequest | undefined {
  const { template } = input;
  const largest = largestGpu(template, observed);
  if (largest === undefined) return undefined;
  const [name, bytes] = largest;
  const weightBytes = weightBytesOf(template, observed);
  const request = planSizing({
    weightBytes,
    ...measuresOf(input, observed),
    gpus: { count: gpuCountOf(template), bytes },
    style: servingStyles.paged,
  });
  if (request === undefined) return undefined;
  return { ...request, memory: { devices: request.memory.devices.map((device) => ({ ...device, name })) } };
}

/** What the only file says of its layers, and what its engine is started with. */
function measuresOf(
  input: LaunchedInput,
  observed: ObservedService,
): Pick<SizingFacts, "weightBytes" | "model" | "context" | "slots"> {
  const [source, ...others] = sourcesOf(input.template);
  const found = others.length > 0 ? undefined : observed.measuredWeights?.[source?.sourceUri ?? ""];
  const args = [...baseArguments(input), ...statedArguments(input.env)];
  const family = engineFamilyOf({ name: "", image: imageOf(input), args });
  return {
    ...(found === undefined ? {} : { model: sizedModelOf(found) }),
    ...(found?.tensorBytes === undefined ? {} : { weightBytes: found.tensorBytes }),
    ...parseSizingArguments(family ?? "vllm", args),
  };
}

/** The sum of all sources; nothing where the size of one is unknown. */
function weightBytesOf(template: ObservedTemplate, { measuredBytes = {} }: ObservedService): number | undefined {
  const sizes = sourcesOf(template).map(({ size, sourceUri }) => {
    const stated = bytesOf(size);
    return stated === undefined ? measuredBytes[sourceUri] : Number(stated);
  });
  return sizes.reduce<number | undefined>(
    (sum, size) => (sum === undefined || size === undefined ? undefined : sum + size),
    0,
  );
}
