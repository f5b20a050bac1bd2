import type { Choice, MemoryFit } from "@trivium/domain";
import type { FailureReason, ServiceNote } from "../../reasons.ts";
import type { RuntimeSelection } from "../../selection/index.ts";
import type { ObservedModel } from "../observed/model.ts";
import { modelNotReady } from "../status/model-condition.ts";
import { describeReferenceFault, type ReferenceFault } from "./references.ts";

/** Nothing can be created as things are; what runs stays. */
export interface Blocked {
  readonly is: "blocked";
  /** `waits` ends without a change to the service; `fails` needs a person. */
  readonly how: "waits" | "fails";
  readonly reason: FailureReason;
  readonly note: ServiceNote;
  readonly message: string;
  readonly model?: ObservedModel | undefined;
  readonly selection?: RuntimeSelection | undefined;
  readonly fit?: MemoryFit | undefined;
  /** Choices beside the runtime that came to nothing. */
  readonly choices?: readonly Choice[] | undefined;
}

export const fails = (reason: FailureReason, note: ServiceNote, message: string): Blocked => ({
  is: "blocked",
  how: "fails",
  reason,
  note,
  message,
});

export function blockedReference(fault: ReferenceFault): Blocked {
  const note = fault.field.startsWith("spec.model") ? "ModelReconcileError" : "RuntimeValidationError";
  return fails("InvalidPredictorSpec", note, describeReferenceFault(fault));
}

const faultReasons = {
  ModelInvalid: ["InvalidPredictorSpec", "RuntimeSelectionError"],
  RuntimeNotFound: ["RuntimeNotRecognized", "RuntimeFetchError"],
  RuntimeDisabled: ["RuntimeDisabled", "RuntimeValidationError"],
  RuntimeIncompatible: ["InvalidPredictorSpec", "RuntimeValidationError"],
  NoRuntimeFound: ["NoSupportingRuntime", "RuntimeSelectionError"],
} as const;

/**
 * As long as the files of a model have not shown what it is, no runtime can be wrong for it: what keeps the files away is the cause, and
 * that its format is unknown a consequence.
 */
export function selectionBlock(model: ObservedModel, selection: Extract<RuntimeSelection, { is: "failed" }>): Blocked {
  const { fault, message } = selection;
  const canPass = fault !== "RuntimeNotFound" && fault !== "RuntimeDisabled";
  if (canPass && model.state !== "Ready") {
    const { message: cause } = modelNotReady(model);
    if (model.isMisfit) return { ...fails("ModelLoadFailed", "DoesNotFit", cause), model, selection };
    // What is known of a model whose download goes on may already rule the runtime out; of one that failed there is one cause.
    const why = fault === "ModelInvalid" || model.state === "Failed" ? cause : `${cause}. Currently: ${message}`;
    const note = "ModelReconcileError";
    return { is: "blocked", how: "waits", reason: "BaseModelNotReady", note, message: why, model, selection };
  }
  const [reason, note] = faultReasons[fault];
  return { ...fails(reason, note, message), model, selection };
}
