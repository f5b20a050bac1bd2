import { totalmem } from "node:os";
import type { MemoryFit, ModelFacts } from "@trivium/domain";
import { planSizing, servingStyles, sizeServing } from "@trivium/engines";

export interface ServedAs {
  readonly context?: number | undefined;
  readonly slots?: number | undefined;
  /** Memory of the one GPU that serves it; none: the processor does. */
  readonly gpuBytes?: number | undefined;
}

/** What serving a model on this machine needs, with the sum that the control plane computes. */
export function fitOnThisMachine(facts: ModelFacts, weightBytes: number, served: ServedAs): MemoryFit | undefined {
  const { shape, parameters, format } = facts;
  const request = planSizing({
    weightBytes,
    parameters: parameters?.count,
    ...(shape === undefined ? {} : { model: { shape } }),
    host: { name: "CPU", bytes: totalmem() },
    ...(served.gpuBytes === undefined ? {} : { gpus: { count: 1, bytes: served.gpuBytes } }),
    context: served.context,
    slots: served.slots,
    // Other formats are served by vLLM and SGLang, which page their cache.
    style: format === undefined || format.name === "gguf" ? servingStyles.local : servingStyles.paged,
  });
  return request === undefined ? undefined : sizeServing(request);
}
