export {
  bestEntry,
  type Candidate,
  type FailedGate,
  type Gate,
  type RuntimeReport,
  type RuntimeScope,
} from "./judge-runtime.ts";
export {
  checkNamedRuntime,
  type RuntimeName,
  rankRuntimes,
  type Selection,
  type SelectionFault,
  type SelectionRequest,
  selectRuntime,
} from "./select-runtime.ts";
export { labelOf, type ModelTraits, type RuntimeSpec } from "./traits.ts";
