import type { api } from "@trivium/kube";
import { compareQuantity, parseQuantity } from "@trivium/std";
import type { GpuPlan } from "../../hardware/gpu-plan.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { Model } from "../../kinds/model.ts";

/** What the engine asks of its node: the service's words, else the Model's. */
export function resourcesOf(service: InferenceService, model: Model, gpu: GpuPlan): api.ResourceRequirements {
  const { cpu, memory, hostMemory, ephemeralStorage } = service.spec.resources ?? {};
  const ofModel = model.spec.resources ?? {};
  const { memoryBudget } = model.spec.hardware ?? {};
  const requests = compact({
    cpu: cpu || ofModel.cpu,
    memory: hostMemory || memory || ofModel.memory,
    "ephemeral-storage": ephemeralStorage,
  });
  const limits = compact({
    "ephemeral-storage": ephemeralStorage,
    // Without a GPU the budget of the process is a limit that the node can enforce.
    memory: gpu.is === "none" ? memoryBudget : undefined,
    ...(gpu.is === "resource" ? { [gpu.resource]: String(gpu.count) } : {}),
  });
  return {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(gpu.is === "claims" ? { claims: gpu.claims.map(({ name }) => ({ name })) } : {}),
  };
}

/** The API server refuses a pod that requests more memory than its limit, which the budget is. */
export function budgetFault(service: InferenceService, model: Model, gpu: GpuPlan): string | undefined {
  const { requests, limits } = resourcesOf(service, model, gpu);
  const [request, limit] = [requests?.memory, limits?.memory].map((text) => parseQuantity(text ?? ""));
  if (request === undefined || limit === undefined || compareQuantity(request, limit) <= 0) return undefined;
  const field = requestField(service);
  return `${field} ${requests?.memory} exceeds hardware.memoryBudget ${limits?.memory} of Model ${model.metadata.name}; raise the budget, or lower the request`;
}

function requestField({ spec: { resources } }: InferenceService): string {
  if (resources?.hostMemory) return "spec.resources.hostMemory";
  return resources?.memory ? "spec.resources.memory" : "resources.memory of the Model";
}

function compact(entries: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter((entry): entry is [string, string] => Boolean(entry[1])));
}

/** The first quantity of a service that cannot be read, in words. */
export function unreadableQuantity({ spec }: InferenceService): string | undefined {
  for (const field of ["cpu", "memory", "hostMemory", "ephemeralStorage", "gpuMemory"] as const) {
    const text = spec.resources?.[field];
    if (text !== undefined && parseQuantity(text) === undefined)
      return `spec.resources.${field} "${text}" is not a valid quantity; set it to one such as 4Gi or 500m`;
  }
  for (const { name, targetAverageValue } of spec.autoscaling?.metrics ?? []) {
    if (targetAverageValue !== undefined && parseQuantity(targetAverageValue) === undefined)
      return `spec.autoscaling.metrics ${name}: targetAverageValue "${targetAverageValue}" is not a valid quantity`;
  }
  return undefined;
}
