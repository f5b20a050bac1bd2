export { describeCanary } from "./describe-canary.ts";
export { fitRevision } from "./fit-revision.ts";
export { parseGatewayReference } from "./gateway-reference.ts";
export { planCanary } from "./plan-canary.ts";
export { type PromptCache, type PromptCacheEngine, type PromptCachePlan, planPromptCache } from "./prompt-cache.ts";
export {
  type AnnotatedAdapter,
  asleepMessage,
  isIdledByGateway,
  parseServingAnnotations,
  type ServingAnnotations,
  servingAnnotations,
} from "./serving-annotations.ts";
