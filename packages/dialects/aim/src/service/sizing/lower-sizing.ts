import type { SizingIntent, SizingRequest } from "@trivium/domain";
import { hasOpenHostMemory, hostMemoryOf, planSizing, servingStyles } from "@trivium/engines";
import { bytesOf } from "../../storage/claim-size.ts";
import { isRunning, type ObservedService, type ObservedTemplate } from "../observed/observed-service.ts";
import type { ServerInput } from "../roles/server-input.ts";
import { gpuCountOf, gpuModelsOf } from "../selection/template-facts.ts";
import { modelIdOf, sourcesOf } from "../weights/sources.ts";
import { isFitKnown, isOnCpu } from "./observe-memory.ts";

type SizedInput = Pick<ServerInput, "template" | "resources">;

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

function cpuRequest({ template, resources }: SizedInput, observed: ObservedService): SizingRequest | undefined {
  const { nodeBytes } = observed;
  if (nodeBytes === undefined || !isOnCpu(template)) return undefined;
  return planSizing({
    weightBytes: weightBytesOf(template, observed),
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

function gpuRequest({ template }: SizedInput, observed: ObservedService): SizingRequest | undefined {
  const largest = largestGpu(template, observed);
  if (largest === undefined) return undefined;
  const [name, bytes] = largest;
  const weightBytes = weightBytesOf(template, observed);
  const request = planSizing({
    weightBytes,
    gpus: { count: gpuCountOf(template), bytes },
    style: servingStyles.paged,
  });
  if (request === undefined) return undefined;
  return { ...request, memory: { devices: request.memory.devices.map((device) => ({ ...device, name })) } };
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
