export * from "./admission.ts";
export * from "./dialect.ts";
export { type Answered, answer, askingKey, defineQuery } from "./query.ts";
export * from "./refusal.ts";
export * from "./shape.ts";
export * from "./status-guide.ts";
export * from "./unresolved.ts";
export * from "./user-roles.ts";
