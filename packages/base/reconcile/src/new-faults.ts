import type { KubeObject } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { deepEqual } from "@trivium/std";
import type { AdmissionRequest } from "./admission.ts";

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
  const known = faultsOf(old);
  return faults.filter((fault) => !known.some((one) => deepEqual(one, fault)));
}
