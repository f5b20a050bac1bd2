import type { KubeObject } from "@trivium/kube";
import type { AdmissionRequest } from "@trivium/reconcile";
import { type FieldError, formatFieldError } from "@trivium/schema";

/**
 * The faults that a write brings. What was stored with a fault, before anybody looked for it, can still be changed elsewhere, and what is being
 * deleted is not held up.
 */
export function newFaults<O extends KubeObject>(
  { verb, object, old }: AdmissionRequest<O>,
  faultsOf: (object: O) => readonly FieldError[],
): FieldError[] {
  if (verb === "delete" || object.metadata.deletionTimestamp !== undefined) return [];
  const faults = faultsOf(object);
  if (old === undefined || faults.length === 0) return [...faults];
  const known = new Set(faultsOf(old).map(formatFieldError));
  return faults.filter((fault) => !known.has(formatFieldError(fault)));
}

/** A sentence that begins with the field it is about, as a fault of that field. */
export function faultOf(sentence: string, value?: string): FieldError {
  const [, field = "spec", detail = sentence] = /^([a-z][\w.]*):? (.+)$/is.exec(sentence) ?? [];
  return { reason: "FieldValueInvalid", field, value: value ?? "", detail };
}
