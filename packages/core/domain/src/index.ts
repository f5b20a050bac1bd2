export * from "./benchmark/index.ts";
export * from "./hardware/index.ts";
export * from "./health/index.ts";
export * from "./queries.ts";
export * from "./serving/index.ts";
export * from "./traffic/index.ts";
export * from "./weights/index.ts";
