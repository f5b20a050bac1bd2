import type { Note } from "@trivium/reconcile";
import type { Judgement } from "./health/judge.ts";
import type { Blocked } from "./selection/lowered.ts";
import { notAccelerated } from "./status/accelerated.ts";

export const blockedEvents = ({ reason, message }: Blocked): Note[] =>
  reason === "Pending" ? [] : [{ type: "Warning", reason, message }];

export function servingEvents({ phase, cause, acceleration, fit }: Judgement): Note[] {
  const events: Note[] = [];
  if (phase === "Ready") events.push({ type: "Normal", reason: "InferenceReady", message: "All replicas are ready" });
  if (cause !== undefined) events.push({ type: "Warning", reason: cause.reason, message: cause.message });
  if (phase === "Ready" && acceleration?.layersOffloaded === 0)
    events.push({ type: "Warning", reason: "NotAccelerated", message: notAccelerated });
  if (fit?.reason === "DoesNotFit" || fit?.reason === "TightFit" || fit?.reason === "PartlyOnGPU")
    events.push({ type: "Warning", reason: fit.reason, message: fit.message });
  return events;
}
