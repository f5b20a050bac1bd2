export {
  anyJson,
  as,
  bool,
  free,
  inline,
  int32,
  int64,
  intOrString,
  type Keywords,
  list,
  listMap,
  map,
  num,
  type Optional,
  obj,
  oneOf,
  opt,
  quantity,
  type SchemaOf,
  type Static,
  str,
  time,
} from "./author.ts";
export { applyDefaults, DefaultsTooLarge } from "./defaults.ts";
export {
  duplicate,
  type FieldError,
  forbidden,
  formatFieldError,
  formatFieldErrorBody,
  invalid,
  notSupported,
  required,
  tooLong,
} from "./field-error.ts";
export { formatCheck } from "./formats.ts";
export { prune } from "./prune.ts";
export { emitReferencePage, type LinkedType } from "./reference.ts";
export { faultOfPattern, matcherOf } from "./regex/index.ts";
export * from "./schema.ts";
export { shareSubschemas } from "./share.ts";
export { faultsOfStructuralSchema } from "./structural/index.ts";
export { validate } from "./validate/index.ts";
