export * from "./benchmark/index.ts";
export * from "./catalog/index.ts";
export * from "./discovery/index.ts";
export * from "./health/index.ts";
export * from "./model-files/index.ts";
export * from "./routing/index.ts";
export * from "./selection/index.ts";
export { serve } from "./serve.ts";
export * from "./sizing/index.ts";
