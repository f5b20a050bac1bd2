import type { DecidedCondition } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { condition, noFailure } from "../../conditions.ts";
import type { TemplateStatus } from "../../objects.ts";
import type { TemplateReason } from "../../reasons/catalog.ts";
import type { TemplateOutcome } from "../discovery/outcome.ts";
import { pullNotes } from "../events.ts";

/** How a verdict looks to the user. */
interface StatusView {
  readonly state: NonNullable<TemplateStatus["status"]>;
  readonly conditions: readonly DecidedCondition[];
  readonly notes: readonly Note[];
}

type Truth = "True" | "False";
interface Reported {
  readonly reason: string;
  readonly message: string;
}

export const standing = (
  reported: Reported,
  { ready, progressing, failure }: { ready: Truth; progressing: Truth; failure: Truth },
): DecidedCondition[] => [
  condition("Ready", ready, reported),
  condition("Progressing", progressing, reported),
  condition("Failure", failure, reported),
];

export function statusViewOf(outcome: TemplateOutcome): StatusView {
  switch (outcome.is) {
    case "ready":
      return readyStatusView(outcome);
    case "unavailable":
      return unavailableStatusView(outcome);
    case "modelless":
      return badStatusView("Degraded", { reason: "ImageNotFound", message: outcome.message }, "ImageNotFound");
    case "homeless":
      return badStatusView(
        "Degraded",
        { reason: "OperatorNamespaceMissing", message: outcome.message },
        "DiscoveryFailed",
      );
    case "waiting":
      return movingStatusView("Pending", "Reconciling", "Waiting for a discovery slot");
    case "running":
      return movingStatusView("Progressing", outcome.isRefused ? "ApplyFailed" : "DiscoveryRunning", outcome.message);
    case "stuck":
      return badStatusView("Degraded", outcome, pullNotes[outcome.reason]);
    case "failed":
      return failedStatusView(outcome);
  }
}

function readyStatusView({ by, sources }: Extract<TemplateOutcome, { is: "ready" }>): StatusView {
  const isInline = by === "InlineModelSources";
  const weights = sources.length === 1 ? "1 set of weights" : `${sources.length} sets of weights`;
  const message = isInline ? `spec.modelSources specifies ${weights}` : `Discovery found ${weights}`;
  const note: Note = { type: "Normal", reason: isInline ? "ModelSourcesProvided" : "DiscoverySucceeded", message };
  const conditions = [
    condition("Discovered", "True", { reason: by, message }),
    ...standing({ reason: "Available", message }, { ready: "True", progressing: "False", failure: "False" }),
  ];
  return { state: "Ready", conditions, notes: [note] };
}

function unavailableStatusView({ reason, message }: Extract<TemplateOutcome, { is: "unavailable" }>): StatusView {
  const reported = { reason, message };
  const conditions = [
    condition("Discovered", "False", reported),
    ...standing(reported, { ready: "False", progressing: "False", failure: "False" }),
  ];
  return { state: "NotAvailable", conditions, notes: [{ type: "Warning", ...reported }] };
}

function movingStatusView(state: "Pending" | "Progressing", reason: TemplateReason, message: string): StatusView {
  const reported = { reason, message };
  const discovered = { reason: state === "Pending" ? "AwaitingDiscovery" : "JobPending", message };
  const conditions = [
    condition("Discovered", "False", discovered),
    condition("Ready", "False", { reason: "Reconciling", message }),
    condition("Progressing", "True", reported),
    noFailure("NoFailure", { isReady: false, message }),
  ];
  return { state, conditions, notes: [] };
}

function badStatusView(state: "Degraded" | "Failed", { reason, message }: Reported, note: string): StatusView {
  const reported = { reason, message };
  const conditions = [
    condition("Discovered", "False", reported),
    ...standing(reported, { ready: "False", progressing: "False", failure: "True" }),
  ];
  return { state, conditions, notes: [{ type: "Warning", reason: note, message }] };
}

function failedStatusView({ reason, message, isFinal }: Extract<TemplateOutcome, { is: "failed" }>): StatusView {
  const reported = { reason, message };
  const conditions = [
    condition("Discovered", "False", { reason: "DiscoveryFailed", message }),
    condition("Ready", "False", { reason: "Failed", message }),
    condition("Progressing", isFinal ? "False" : "True", { reason: "DiscoveryRetry", message }),
    condition("Failure", "True", reported),
  ];
  const note = reason === "DiscoveryParseFailed" ? reason : "DiscoveryFailed";
  return { state: isFinal ? "Failed" : "Degraded", conditions, notes: [{ type: "Warning", reason: note, message }] };
}
