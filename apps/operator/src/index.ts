export { type Composition, type Operator, type OperatorParts, type Surroundings, startOperator } from "./compose.ts";
export { type OperatorOptions, parseOptions } from "./options.ts";
export { emitRbac, formatRbac } from "./rbac.ts";
export { runOperator } from "./run.ts";
