/** Inputs that were sent to a real kube-apiserver. Its answers lie beside this file; `record.ts` asks for them again. */

export { ruleSchema, rules } from "./cases/rules.ts";
export { schemas } from "./cases/schemas.ts";
export { transitionSchema, transitions } from "./cases/transitions.ts";
export { valueSchema, values } from "./cases/values.ts";
