export type { Candidate, RuntimeName } from "./candidate.ts";
export { checkNamedRuntime, type RuntimeSelection, type SelectionRequest, selectRuntime } from "./select-runtime.ts";
export type { ModelTraits, RuntimeSpec, SupportedFormat } from "./traits.ts";
export { bestEntry } from "./weigh-runtime.ts";
