export * from "./memory.ts";
