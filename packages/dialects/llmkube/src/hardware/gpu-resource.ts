import type { Model } from "../kinds/model.ts";

/** What device plugins call a GPU of AMD or Intel that is reached through the kernel's render nodes. */
export const renderNode = "devic.es/dri-render";

/** What device plugins of a cluster call GPUs, where that differs from plugin to plugin. */
export interface GpuResources {
  readonly amd: string;
  readonly intel: string;
}

export const defaultResources: GpuResources = { amd: "amd.com/gpu", intel: "gpu.intel.com/i915" };

/** The extended resource that stands for one GPU of a Model. */
export function resourceOf({ spec }: Model, named = defaultResources): string {
  const gpu = spec.hardware?.gpu;
  if (gpu?.resourceName) return gpu.resourceName;
  const isVulkan = spec.hardware?.accelerator === "vulkan";
  switch (gpu?.vendor) {
    case "amd":
      return gpu.runtime === "vulkan" || (isVulkan && !gpu.runtime) ? renderNode : named.amd;
    case "intel":
      return isVulkan ? renderNode : named.intel;
    default:
      return "nvidia.com/gpu";
  }
}

/** The resource that must be somewhere in the cluster for the accelerator to count as there; none for what every node has. */
export function resourceOfAccelerator(model: Model, named = defaultResources): string | undefined {
  const { accelerator = "cpu", gpu } = model.spec.hardware ?? {};
  if (accelerator === "cpu" || accelerator === "metal") return undefined;
  if (gpu?.resourceName) return gpu.resourceName;
  const ofAccelerator = {
    cuda: "nvidia.com/gpu",
    rocm: named.amd,
    intel: named.intel,
    vulkan: renderNode,
  };
  return ofAccelerator[accelerator];
}
