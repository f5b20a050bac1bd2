export { cleanWords } from "./clean-words.ts";
export { finalSentence } from "./final-sentence.ts";
export { findTrouble } from "./find-trouble.ts";
export { reportHealth } from "./report-health.ts";
export { summarizePod } from "./summarize-pod.ts";
export { tellUnschedulable } from "./tell-unschedulable.ts";
