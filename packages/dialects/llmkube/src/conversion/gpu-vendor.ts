import type { GpuVendor } from "../hardware/gpu-plan.ts";
import { defaultResources } from "../hardware/gpu-resource.ts";

/** How this API names the GPUs of a resource: by vendor, or else by the resource itself. */
export function gpuFields(resource: string | undefined): {
  vendor?: GpuVendor;
  resourceName?: string;
  accelerator?: string;
} {
  switch (resource) {
    case undefined:
    case "nvidia.com/gpu":
      return { vendor: "nvidia", accelerator: "cuda" };
    case defaultResources.amd:
      return { vendor: "amd", accelerator: "rocm" };
    case defaultResources.intel:
      return { vendor: "intel", accelerator: "intel" };
    default:
      return { resourceName: resource, ...acceleratorOf(resource) };
  }
}

const acceleratorOf = (resource: string): { accelerator?: string } =>
  resource.startsWith("nvidia.com/") ? { accelerator: "cuda" } : {};
