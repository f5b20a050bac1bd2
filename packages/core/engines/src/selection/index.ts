export { explainLoss } from "./explain.ts";
export { choiceAnnotation, formatChoice } from "./format-choice.ts";
export { listCandidates } from "./list-candidates.ts";
export type { FailedGate, Gate, Judged, Mismatch, Rank, Selection, SelectionRules } from "./rules.ts";
export { select } from "./select.ts";
export { namedChoice, summarizeSelection } from "./summarize-selection.ts";
