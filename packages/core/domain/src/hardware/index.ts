export * from "./memory.ts";
export * from "./memory-fit.ts";
export * from "./sizing-request.ts";
