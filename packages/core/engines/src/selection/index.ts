export { explainLoss } from "./explain.ts";
export { choiceAnnotation, formatChoice } from "./format-choice.ts";
export { listCandidates } from "./list-candidates.ts";
export type {
  FailedGate,
  Gate,
  Judged,
  Mismatch,
  NumberRank,
  Outranked,
  Rank,
  Selection,
  SelectionRules,
  WordRank,
} from "./rules.ts";
export { select } from "./select.ts";
export { namedChoice, summarizeSelection } from "./summarize-selection.ts";
