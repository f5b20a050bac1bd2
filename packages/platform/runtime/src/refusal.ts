import { ApiError, isReason, type Kind, type Ref } from "@trivium/kube";
import type { Note } from "@trivium/reconcile";
import { describeChild } from "./child.ts";
import type { WriteContext } from "./write-context.ts";

interface Target {
  readonly kind: Kind;
  readonly ref: Ref;
}

/** A failure is tried again; one that the server explains and only a person can end (a quota, a policy) is told as well. */
export function fail(context: WriteContext, target: Target, error: unknown, note?: Note): void {
  const { kind, ref } = target;
  // The owner goes with its namespace, and that will wake this reconciler: nothing is amiss and nothing can be made.
  if (ref.namespace === context.object.metadata.namespace && isNamespaceEnding(error)) return;
  const cause = kind.kind === "Secret" ? withoutQuotes(error) : error;
  const words = cause instanceof Error ? cause.message : String(cause);
  const message = `${describeChild(kind, ref)}: ${words}`;
  context.report.failures.push(new Error(message, { cause }));
  if (!isReason(cause, "Invalid", "Forbidden", "BadRequest")) return;
  if (note !== undefined) {
    context.report.notes.push({ ...note, message: `${note.message}${words}` });
    return;
  }
  context.report.notes.push({ type: "Warning", reason: "ApplyFailed", action: "Apply", message });
}

const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");

/** A server quotes what it refuses, so of a Secret only the kind of refusal may be told. */
function withoutQuotes(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { details: _, ...status } = error.status;
  return new ApiError({ ...status, message: `the server answered ${error.reason ?? error.code}` });
}
