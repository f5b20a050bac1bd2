import type { InferenceService } from "../../kinds/inference-service.ts";

/** Why the engine's own split over GPUs cannot be had with so many of them. */
export function parallelismFault({ spec }: InferenceService, gpus: number): string | undefined {
  const { vllmConfig, sglangConfig, runtime } = spec;
  const wanted =
    runtime === "vllm"
      ? (vllmConfig?.tensorParallelSize ?? 1)
      : runtime === "sglang"
        ? (sglangConfig?.tensorParallelSize ?? 1) * (sglangConfig?.dataParallelSize ?? 1)
        : 1;
  if (wanted <= Math.max(gpus, 1)) return undefined;
  return `${runtime} requires ${wanted} GPUs for its parallel sizes, but a replica has ${gpus}; raise gpu.count of the Model, or lower the parallel sizes`;
}
