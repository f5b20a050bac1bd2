export { servingAnnotations } from "./annotation-names.ts";
export { describeCanary, describeUnsharedCanary } from "./describe-canary.ts";
export { type EngineArgument, formatArgument, isFlagPresent } from "./engine-argument.ts";
export { engineFamilyOf } from "./engine-family.ts";
export { fitRevision } from "./fit-revision.ts";
export { parseGatewayReference } from "./gateway-reference.ts";
export { type CanaryNames, canaryReads, type ObservedCanary, observeCanary } from "./observe-canary.ts";
export { canaryReplicas, planCanary } from "./plan-canary.ts";
export {
  asleepMessage,
  isIdledByGateway,
  isStopped,
  namespaceOption,
  parseServingAnnotations,
  type ServingAnnotations,
  startCommand,
  stoppedMessage,
} from "./serving-annotations.ts";
export { withEnv } from "./with-env.ts";
