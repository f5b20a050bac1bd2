export type { CacheTypes, ServingStyle, SizedAdapter, SizedModel, SizingRequest, Split } from "@trivium/domain";
export { bytesPerToken, cacheTypeBytes, tokensKept } from "./cache.ts";
export { type ClaimSpaceInput, diagnoseClaimSpace, sizeOfClaim } from "./claim-space.ts";
export { formatAlternatives, formatFit } from "./format-fit.ts";
export { countFreeSlots } from "./free-slots.ts";
export { type BudgetRequests, type MemoryBudget, planMemoryBudget } from "./memory-budget.ts";
export {
  describeHostMisfit,
  exceedsNodes,
  type HostFitInput,
  type HostMisfitInput,
  hasOpenHostMemory,
  largestNodeMemory,
} from "./node-memory.ts";
export { type Alternative, planAlternatives, planDeviceLayers } from "./plan-alternatives.ts";
export { planMemory } from "./plan-memory.ts";
export { planSizing, type SizingFacts, weightBytesOf } from "./plan-sizing.ts";
export { observeQuotas, resourcesBefore } from "./quota-resources.ts";
export { servingStyles } from "./serving-styles.ts";
export { findMisfit, sizeServing } from "./size-serving.ts";
export { formatMemory, listMemory, summarizeMemory } from "./summarize-memory.ts";
