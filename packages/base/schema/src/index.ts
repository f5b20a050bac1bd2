export * from "./author.ts";
export * from "./field-error.ts";
export * from "./schema.ts";
