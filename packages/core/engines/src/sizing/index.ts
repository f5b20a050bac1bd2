export type { SizedModel, SizingRequest } from "@trivium/domain";
export { cacheTypeBytes } from "./cache.ts";
export { type ClaimSpaceInput, diagnoseClaimSpace, sizeOfClaim } from "./claim-space.ts";
export { formatFit } from "./format-fit.ts";
export { countFreeSlots } from "./free-slots.ts";
export { sizeListedWeights } from "./listed-weights.ts";
export {
  type MeasuredWeights,
  measuredWeightsFields,
  measureHeader,
  measureWeights,
  parseMeasuredWeights,
  sizedModelOf,
} from "./measured-weights.ts";
export { type ClusterMemory, findModelMisfit, summarizeClusterMemory } from "./nodes/cluster-memory.ts";
export { hasOpenHostMemory, hostMemoryOf, largestNodeMemory } from "./nodes/node-memory.ts";
export { planDeviceLayers } from "./plan-alternatives.ts";
export { planMemory } from "./plan-memory.ts";
export { planSizing, type SizingFacts, weightBytesOf } from "./plan-sizing.ts";
export { observeQuotas, resourcesBefore } from "./quota-resources.ts";
export { type FitReport, findFit, reportFit, withoutFit } from "./report-fit.ts";
export { servingStyles } from "./serving-styles.ts";
export { assessFit, sizeServing } from "./size-serving.ts";
export { parseSizingArguments } from "./sizing-arguments.ts";
export { formatMemory, formatOffered, listMemory } from "./summarize-memory.ts";
