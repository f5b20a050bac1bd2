import type { api } from "@trivium/kube";
import { compareQuantity, parseQuantity } from "@trivium/std";
import type { SelectedService } from "../names/serving-labels.ts";
import * as of from "../selection/template-facts.ts";

interface ResourceLayers {
  /** GPUs of one replica. */
  readonly gpus: number;
  readonly gpuResource: string;
  /** The lowest first: model, template, service. */
  readonly layers: readonly (api.ResourceRequirements | undefined)[];
}

/** What the serving container asks for: what its GPUs usually need, and over that what model, template and service say, key by key. */
export function mergeResources({ gpus, gpuResource, layers }: ResourceLayers): api.ResourceRequirements {
  const usual: api.ResourceRequirements =
    gpus > 0
      ? { requests: { cpu: `${4 * gpus}`, memory: `${32 * gpus}Gi` }, limits: { memory: `${48 * gpus}Gi` } }
      : {};
  const all = [usual, ...layers];
  const requests = Object.assign({}, ...all.map((layer) => layer?.requests)) as Record<string, string>;
  const limits = Object.assign({}, ...all.map((layer) => layer?.limits)) as Record<string, string>;
  const claims = layers.findLast((layer) => (layer?.claims ?? []).length > 0)?.claims;
  if (gpus > 0) {
    requests[gpuResource] ??= `${gpus}`;
    limits[gpuResource] ??= `${gpus}`;
  }
  return {
    ...(Object.keys(requests).length === 0 ? {} : { requests }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(claims === undefined ? {} : { claims: [...claims] }),
  };
}

/** The first thing that the API would refuse later, in words. */
export function faultOfResources({ requests = {}, limits = {} }: api.ResourceRequirements): string | undefined {
  for (const [where, list] of Object.entries({ requests, limits })) {
    for (const [key, text] of Object.entries(list)) {
      if (parseQuantity(text) === undefined)
        return `resources.${where}.${key} "${text}" is not a valid quantity (expected e.g. 4 or 16Gi)`;
    }
  }
  for (const [key, limit] of Object.entries(limits)) {
    const [asked, most] = [parseQuantity(requests[key] ?? "0"), parseQuantity(limit)];
    if (asked !== undefined && most !== undefined && compareQuantity(asked, most) > 0)
      return `resources.requests.${key} ${requests[key]} exceeds resources.limits.${key} ${limit}; raise the limit, or request less`;
  }
  return undefined;
}

/** What model, template and service request for the serving container. */
export function resourcesOf({ service, model, template }: SelectedService): api.ResourceRequirements {
  const { requests, limits } = template.spec.hardware?.cpu ?? {};
  // A machine without GPUs is requested by its CPUs.
  const cpu = {
    ...(requests === undefined ? {} : { requests: { cpu: requests } }),
    ...(limits === undefined ? {} : { limits: { cpu: limits } }),
  };
  return mergeResources({
    gpus: of.gpuCountOf(template),
    gpuResource: of.gpuResourceOf(template),
    layers: [model.spec.resources, cpu, template.spec.resources, service.spec.resources],
  });
}
