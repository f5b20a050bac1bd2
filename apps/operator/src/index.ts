export { type Composition, type Context, type Operator, type OperatorParts, startOperator } from "./compose.ts";
export { type OperatorOptions, parseOptions } from "./options.ts";
export { emitRbac, formatRbac } from "./rbac.ts";
export { runOperator } from "./run.ts";
