import { gpuDemandOf } from "../../hardware/gpu-demand.ts";
import type { InferenceService } from "../../kinds/inference-service.ts";
import type { ObservedService } from "../observe.ts";
import type { Blocked, Candidate } from "./lowered.ts";

/** Where GPUQuotas limit the namespace, pods wait for the decision about them; what runs stays. */
export function quotaFault(
  { metadata, spec, status }: InferenceService,
  { model, asked }: Candidate,
  { isLimited }: ObservedService,
): Blocked | { readonly is: "unresolved" } | undefined {
  if (isLimited !== true) return undefined;
  const granted = status?.gpuQuota ?? undefined;
  if (granted === undefined || granted.observedGeneration !== metadata.generation) return { is: "unresolved" };
  if (granted.waiting !== undefined)
    return {
      is: "blocked",
      phase: "Pending",
      reason: "GPUQuotaExceeded",
      message: granted.waiting,
      isModelReady: true,
    };
  const gpu = model.spec.hardware?.gpu ?? undefined;
  const { gpus = 0 } = gpuDemandOf({ spec, canaryPercent: asked.canaryPercent, gpu, deviceBytes: undefined });
  // The Model or an annotation has changed; the decision follows.
  return gpus > granted.gpus ? { is: "unresolved" } : undefined;
}
