export { explainLoss } from "./explain.ts";
export type { FailedGate, Gate, Judged, Mismatch, Outranked, Rank, Selection, SelectionRules } from "./rules.ts";
export { select } from "./select.ts";
