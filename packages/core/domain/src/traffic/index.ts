export * from "./backend.ts";
export * from "./gateway-controller.ts";
export * from "./replica.ts";
export * from "./route-plan.ts";
export * from "./served-model.ts";
export * from "./wake-state.ts";
