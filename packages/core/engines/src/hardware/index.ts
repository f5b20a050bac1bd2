export { devicesOf, modelOfDevice, normalizeModel, vramOf } from "./gpu-models.ts";
export { type GpuNode, parseGpuNode } from "./gpu-node.ts";
export { nodeHardware } from "./node-hardware.ts";
export { maxOffered, type ObservedGpu, summarizeGpus } from "./summarize-gpus.ts";
