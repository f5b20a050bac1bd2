import type { Note } from "@trivium/reconcile";
import type { KVCacheOutcome } from "./health/judge.ts";

const reasons = {
  Pending: "KVCachePending",
  Progressing: "KVCacheProgressing",
  Ready: "KVCacheReady",
  Failed: "ReconciliationFailed",
} as const;

/** What is recorded when a cache reaches a state. */
export const eventsOf = ({ state, message }: KVCacheOutcome): Note[] => [
  { type: state === "Failed" ? "Warning" : "Normal", reason: reasons[state], message },
];

/** What is recorded when a part of it is created. */
export const created = (reason: "ServiceCreation" | "StatefulSetCreation", object: string): { made: Note } => ({
  made: { type: "Normal", reason, message: `Created ${object}` },
});
