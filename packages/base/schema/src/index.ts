export * from "./author.ts";
export * from "./defaults.ts";
export * from "./field-error.ts";
export * from "./prune.ts";
export * from "./reference.ts";
export { faultOfPattern, matcherOf } from "./regex/index.ts";
export * from "./schema.ts";
export { validate } from "./validate/index.ts";
