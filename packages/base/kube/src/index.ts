export * from "./client.ts";
export * from "./define.ts";
export * from "./errors.ts";
export * from "./kind.ts";
export * from "./object.ts";
export * from "./transport.ts";
