import type { Note } from "@trivium/reconcile";
import { configNotes } from "../conditions.ts";
import type { TemplateOutcome } from "./discovery/outcome.ts";
import type { TemplateIntent } from "./lower.ts";

/** Reasons of events for an image that cannot be pulled. */
export const pullNotes = {
  ImagePullAuthFailure: "ImagePullAuthFailed",
  ImageNotFound: "ImageNotFound",
  ImagePullBackOff: "ImagePullFailed",
} as const;

/** What keeps a template from being judged. */
export const warningsOf = (fault: Pick<Note, "reason" | "message">): Note[] => [{ type: "Warning", ...fault }];

/** What is recorded of a template: its config, its state, and a discovery that runs again. */
export const eventsOf = (
  { config, outcome }: Extract<TemplateIntent, { is: "judged" }>,
  ofState: readonly Note[],
): Note[] => [...configNotes(config), ...ofState, ...refreshNotes(outcome)];

function refreshNotes(outcome: TemplateOutcome): Note[] {
  const refresh = outcome.is === "ready" ? outcome.refresh : undefined;
  if (refresh?.is === "stuck")
    return [{ type: "Warning", reason: pullNotes[refresh.reason], message: refresh.message }];
  return refresh?.is === "failed" ? [{ type: "Warning", reason: "DiscoveryFailed", message: refresh.message }] : [];
}
