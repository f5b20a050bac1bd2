import type { InferenceService } from "../kinds/inference-service.ts";
import type { LlmkubeOptions } from "../options.ts";
import type { GpuPlan } from "./gpu-plan.ts";

/** A GPU that is shared by turns is on nodes set up for it; on any other node the service would take a whole one. AMD has no such pools. */
export function sharingFault(
  { spec }: InferenceService,
  gpu: GpuPlan,
  { sharedPool }: Pick<LlmkubeOptions, "sharedPool">,
): string | undefined {
  if (spec.resources?.gpuSharing?.mode !== "shared" || (gpu.is !== "resource" && gpu.is !== "claims")) return undefined;
  if (gpu.vendor === "amd" || Object.keys(sharedPool).length > 0) return undefined;
  return "spec.resources.gpuSharing.mode shared requires nodes with time-sliced GPUs, but the operator has no pool of them; start the operator with --gpu-sharing-shared-pool-selector, or use mode exclusive";
}
