export * from "./diagnosis.ts";
export * from "./failure.ts";
export * from "./observed-pod.ts";
