import { splitRefusals } from "@trivium/engines";
import { replaceConditions } from "@trivium/kube";
import type { Refusal } from "@trivium/reconcile";
import { modelPaths } from "../../field-paths.ts";
import type { Stored } from "../../storage/place.ts";
import { type FileStatus, observedAt } from "./file-status.ts";

/** The Job that reads a claim is refused, so what is in the claim stays unknown. */
export function raiseRefusedModel(object: Stored, status: FileStatus, refusals: readonly Refusal[]): FileStatus {
  const message = splitRefusals(refusals, modelPaths).vital?.message ?? "";
  const ready = observedAt(object, { type: "Ready", status: "False", reason: "ApplyFailed", message });
  const conditions = replaceConditions(status.conditions, [ready] as NonNullable<FileStatus["conditions"]>);
  return { ...status, state: "Failed", conditions };
}
