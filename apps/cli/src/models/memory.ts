import type { MemoryFit, ModelFacts } from "@trivium/domain";
import { type MeasuredWeights, planSizing, servingStyles, sizedModelOf, sizeServing } from "@trivium/engines";
import { offeredMemory } from "@trivium/local";

export interface ServedAs {
  readonly context?: number | undefined;
  readonly slots?: number | undefined;
  /** Memory of the one GPU that serves it; none: the processor does. */
  readonly gpuBytes?: number | undefined;
}

/** A model as its headers describe it. */
export interface Sized {
  readonly facts: ModelFacts;
  /** Of its files. */
  readonly bytes: number;
  readonly measured: MeasuredWeights;
}

/** What serving a model on this machine needs, with the sum that the control plane computes. */
export function fitOnThisMachine({ facts, bytes, measured }: Sized, served: ServedAs): MemoryFit | undefined {
  const { format } = facts;
  const request = planSizing({
    weightBytes: measured.tensorBytes ?? bytes,
    model: sizedModelOf(measured),
    host: { name: "CPU", bytes: offeredMemory() },
    ...(served.gpuBytes === undefined ? {} : { gpus: { count: 1, bytes: served.gpuBytes } }),
    context: served.context,
    slots: served.slots,
    // Other formats are served by vLLM and SGLang, which page their cache.
    style: format === undefined || format.name === "gguf" ? servingStyles.local : servingStyles.paged,
  });
  return request === undefined ? undefined : sizeServing(request);
}
