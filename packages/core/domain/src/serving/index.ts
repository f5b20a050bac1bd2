export type { Choice, ChoiceCandidate } from "./choice.ts";
export * from "./claim-plan.ts";
export * from "./collector-plan.ts";
export * from "./config-plan.ts";
export * from "./explanation.ts";
export * from "./field-paths.ts";
export * from "./group-plan.ts";
export * from "./inference-plan.ts";
export * from "./job-plan.ts";
export { defaultRegistry, ownImage } from "./own-image.ts";
export * from "./portable-service.ts";
export * from "./role-plan.ts";
export * from "./scaled-plan.ts";
export * from "./scaling-plan.ts";
export * from "./serverless-plan.ts";
export type { ServicePlan } from "./service-plan.ts";
export type { ReplicaCount, ServiceSummary } from "./service-summary.ts";
export type {
  Served,
  ServingIntent,
  ServingObjects,
  ServingPlan,
  SizingIntent,
  WeightsIntent,
} from "./serving-intent.ts";
export * from "./stateful-plan.ts";
export * from "./workload-plan.ts";
