import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import type { Model } from "../objects.ts";
import type { Inspection } from "./lower.ts";
import type { ModelOutcome } from "./status/aggregate.ts";

interface Reported {
  readonly outcome: ModelOutcome;
  readonly inspection: Inspection;
  readonly metadata: readonly DecidedCondition[];
}

/** What keeps a model from being inspected. */
export const warningsOf = (fault: Pick<Note, "reason" | "message">): Note[] => [{ type: "Warning", ...fault }];

/** What is recorded of a model: an image that its tag moved to, and what was found or failed. */
export function eventsOf(model: Model, { outcome, inspection, metadata }: Reported): Note[] {
  const notes: Note[] = [];
  const before = model.status?.inspectedImage;
  const found = inspection.is === "custom" ? inspection.found : inspection;
  const now = "image" in found ? found.image : undefined;
  if (
    before?.reference === now?.reference &&
    before?.digest !== undefined &&
    now !== undefined &&
    before.digest !== now.digest
  ) {
    notes.push({
      type: "Normal",
      reason: "ImageMoved",
      message: `The tag of ${model.spec.image} moved to another image; inspecting it again`,
    });
  }
  if (outcome.state === "Failed" || outcome.state === "Degraded")
    notes.push({ type: "Warning", reason: outcome.reason, message: outcome.message });
  for (const { status, reason, message } of metadata) {
    const isSaid = outcome.state === "Failed" || outcome.state === "Degraded";
    if (status === "True") notes.push({ type: "Normal", reason, message });
    else if (!isSaid) notes.push({ type: "Warning", reason, message });
  }
  return notes;
}
