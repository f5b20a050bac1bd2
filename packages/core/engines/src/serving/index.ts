export { type CanaryInput, type CanaryNames, planCanary } from "./plan-canary.ts";
export {
  type AnnotatedAdapter,
  asleepMessage,
  isIdledByGateway,
  parseServingAnnotations,
  type ServingAnnotations,
  servingAnnotations,
} from "./serving-annotations.ts";
