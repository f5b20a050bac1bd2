export * from "./append.ts";
export * from "./assert.ts";
export * from "./deep.ts";
export * from "./duration.ts";
export * from "./fact.ts";
export * from "./gateway-proof.ts";
export * from "./hash.ts";
export { parseHubPath } from "./hub-url.ts";
export * from "./image-reference.ts";
export * from "./json.ts";
export * from "./local-path.ts";
export * from "./names.ts";
export * from "./once.ts";
export {
  addQuantity,
  compareQuantity,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityToInteger,
  quantityToNumber,
  subtractQuantity,
} from "./quantity.ts";
export * from "./refusal.ts";
export * from "./relative-path.ts";
export * from "./source-uri.ts";
export * from "./time.ts";
export * from "./until-aborted.ts";
export * from "./web-access.ts";
