import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";

/** A warning for each condition that is not met. */
export const eventsOf = (conditions: readonly DecidedCondition[]): Note[] =>
  conditions.flatMap(({ status, reason, message }) =>
    status === "False" ? [{ type: "Warning" as const, reason, message }] : [],
  );
