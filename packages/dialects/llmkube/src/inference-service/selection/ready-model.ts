import type { Model } from "../../kinds/model.ts";
import { sourceOf } from "../../weights/source.ts";
import type { ObservedService } from "../observe.ts";
import type { DraftRef } from "../weights/draft-model.ts";
import { type Blocked, failed } from "./lowered.ts";

export type ReadyModel =
  | { readonly is: "ready"; readonly model: Model }
  | Blocked
  /** The Model has reported nothing yet, or about an older spec: what is decided for it would be changed by the next report. */
  | { readonly is: "unresolved" };

/** The Model that a field names, once it can be served. */
export function resolveModel(fact: ObservedService["model"], { name, field }: DraftRef): ReadyModel {
  if (fact.is !== "known") {
    return failed("ModelNotFound", `Model ${name} not found in this namespace; create it, or change ${field}`, false);
  }
  const { metadata, status } = fact.value;
  if (status?.phase === undefined) return { is: "unresolved" };
  const available = status?.conditions?.find(({ type }) => type === "Available");
  if (available?.observedGeneration !== undefined && available.observedGeneration !== metadata.generation)
    return { is: "unresolved" };
  if (status.phase === "Ready" || isLeftToPods(fact.value)) return { is: "ready", model: fact.value };
  const why = available?.message;
  const state = status.phase === "Failed" ? "failed" : `is ${status.phase}`;
  const message = `Model ${name} ${state}${why ? `: ${why}` : ""}`;
  // What only a correction of the Model mends is not on its way.
  const reason = status.phase === "Failed" ? "ModelFailed" : "Pending";
  return { is: "blocked", phase: "Pending", reason, message, isModelReady: false };
}

/** What only pods can find out, or mend: they fetch, and a service may have a token that the operator lacks. */
const leftToPods = ["SourceNotFound", "SourceUnauthorized", "IntegrityCheckFailed", "DownloadFailed"];

function isLeftToPods({ spec, status }: Model): boolean {
  if (status?.phase === "Downloading") return true;
  if (sourceOf(spec).is === "local") return false;
  return status?.conditions?.some(({ type, reason }) => type === "Available" && leftToPods.includes(reason)) === true;
}
