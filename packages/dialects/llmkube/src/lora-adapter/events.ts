import type { Note } from "@trivium/reconcile";
import type { LoweredAdapter } from "./lower.ts";

/** A refusal is reported once. */
export const eventsOf = (lowered: LoweredAdapter): Note[] =>
  lowered.is === "refused" ? [{ type: "Warning", reason: lowered.reason, message: lowered.message }] : [];
