export * from "./alias-plan.ts";
export * from "./backend.ts";
export * from "./gateway-controller.ts";
export * from "./ingress-plan.ts";
export * from "./replica.ts";
export type { RoutePlan } from "./route-plan.ts";
export * from "./served-model.ts";
export * from "./virtual-service-plan.ts";
export * from "./wake-state.ts";
