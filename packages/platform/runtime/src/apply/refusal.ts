import { ApiError, failedWebhook, groupResourceOf, isReason, type Kind, type Ref } from "@trivium/kube";
import type { Note, Refusal } from "@trivium/reconcile";
import { type Child, childId, describeChild } from "./child.ts";
import type { Breach } from "./pod-security.ts";
import type { WriteContext } from "./write-context.ts";

interface Target {
  readonly kind: Kind;
  readonly ref: Ref;
}

/** A child that cannot be written: a failure like others, and the cause of the status where the server does not accept the child. */
export function failChild(context: WriteContext, child: Child, error: unknown): void {
  fail(context, child, error, child.desired.events?.failed);
  const { kind, ref } = child;
  if (!isRefusal(error) || isEnding(context, child, error)) return;
  context.report.refusals.push(refusalOf({ kind, ref }, kind.kind === "Secret" ? withoutQuotes(error) : error));
}

/** Answers that the same request gets again. A conflict, a timeout or an object that is gone is a matter of the next pass. */
const passing = [401, 404, 408, 409, 410, 429];

function isRefusal(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { code } = error;
  // A webhook that cannot be called is an internal error that lasts; other errors of the server pass.
  if (error.reason === "InternalError") return failedWebhook.test(error.message);
  return code >= 400 && code < 500 && !passing.includes(code);
}

function refusalOf({ kind, ref }: Target, { code, reason, message, status }: ApiError): Refusal {
  const causes = (status.details?.causes ?? []).map(({ field, message: why = "" }) => ({
    ...(field ? { field } : {}),
    message: why,
  }));
  return { child: childNamed(kind, ref), reason: reason ?? "", code, message, causes };
}

const childNamed = ({ kind, namespaced }: Kind, { namespace, name }: Ref): Refusal["child"] => ({
  kind,
  name,
  ...(namespaced && namespace !== undefined ? { namespace } : {}),
});

/** Another owner has an object of the child's name. */
export function refuseTaken(context: WriteContext, { kind, ref }: Target, holder: string): void {
  const child = childNamed(kind, ref);
  context.report.refusals.push({ child, reason: "NameTaken", code: 409, message: holder, causes: [] });
}

/** Who writes what we write. */
export const describeContest = ({ reconciler: { upstream } }: WriteContext, manager: string): string =>
  `is also written by field manager ${manager}${upstream === undefined ? "" : ` of ${upstream.name}`}`;

/** Another operator writes the child again each time that we have. */
export function refuseContested(context: WriteContext, { kind, ref }: Target, manager: string): void {
  const { report } = context;
  const message = describeContest(context, manager);
  report.refusals.push({ child: childNamed(kind, ref), reason: "Contested", code: 409, message, causes: [] });
  const text = `${describeChild(kind, ref)} ${message}; stop one of the two operators`;
  report.notes.push({ type: "Warning", reason: "Contested", action: "Apply", message: text });
}

/**
 * The child's pods break a Pod Security level. Worded as the API server words it for pods; not retried, since the labels of the namespace
 * are watched.
 */
export function refuseInsecure(context: WriteContext, { kind, ref, desired }: Child, breach: Breach): void {
  const { memory, reader, report } = context;
  memory.drop(reader, childId(kind, ref));
  const message = `${groupResourceOf(kind)} "${ref.name}" is forbidden: ${breach.message}`;
  report.refusals.push({ ...breach, child: childNamed(kind, ref), reason: "Forbidden", code: 403, message });
  report.notes.push(noteOf(`${describeChild(kind, ref)}: `, message, desired.events?.failed));
}

function noteOf(head: string, words: string, note: Note | undefined): Note {
  if (note !== undefined) return { ...note, message: `${note.message}${words}` };
  return { type: "Warning", reason: "ApplyFailed", action: "Apply", message: `${head}${words}` };
}

/** A failure is tried again; one that the server explains and only a person can end (a quota, a policy) is told as well. */
export function fail(context: WriteContext, target: Target, error: unknown, note?: Note): void {
  const { kind, ref } = target;
  if (isEnding(context, target, error)) return;
  const cause = kind.kind === "Secret" ? withoutQuotes(error) : error;
  const words = cause instanceof Error ? cause.message : String(cause);
  const message = `${describeChild(kind, ref)}: ${words}`;
  context.report.failures.push(new Error(message, { cause }));
  if (!isReason(cause, "Invalid", "Forbidden", "BadRequest")) return;
  context.report.notes.push(noteOf(`${describeChild(kind, ref)}: `, words, note));
}

/** The owner goes with its namespace, and that will wake this reconciler: nothing is amiss and nothing can be made. */
const isEnding = ({ object }: WriteContext, { ref }: Target, error: unknown): boolean =>
  ref.namespace === object.metadata.namespace && isNamespaceEnding(error);

const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");

/** A server quotes what it refuses, so of a Secret only the kind of refusal may be told. */
function withoutQuotes<E>(error: E): E | ApiError {
  if (!(error instanceof ApiError)) return error;
  const { details: _, ...status } = error.status;
  return new ApiError({ ...status, message: `the API server responded with ${error.reason ?? error.code}` });
}
