export * from "./diagnosis.ts";
export * from "./failure.ts";
export * from "./health-report.ts";
export * from "./observed-pod.ts";
export * from "./serving-pod.ts";
