import type { Note } from "@trivium/reconcile";
import { faultOf, type Reported } from "./status/reported.ts";

/** What is worth an event: where the Model is, what is wrong, and that its source changed. */
export function eventsOf(reported: Reported): Note[] {
  const { outcome, drift, unreadable } = reported;
  // What is degraded by it is reported once.
  const warnings = reported.warnings.filter(({ reason }) => unreadable === undefined || reason !== "FileUnreadable");
  const fault = faultOf(reported);
  const notes: Note[] = [];
  if (outcome.is === "ready") notes.push({ type: "Normal", reason: "ModelReady", message: outcome.message });
  if (outcome.is === "waiting")
    notes.push({ type: "Normal", reason: outcome.reason, message: outcome.event ?? outcome.message });
  if (fault !== undefined) notes.push({ type: "Warning", ...fault });
  if (drift?.state === "drifted" || drift?.isFollowed === true) {
    const message = drift.isFollowed
      ? "The source changed; services download it again"
      : "The source changed; the cached file is kept";
    notes.push({ type: "Warning", reason: "UpstreamChanged", message });
  }
  notes.push(...warnings.map((warning): Note => ({ type: "Warning", ...warning })));
  return notes;
}
