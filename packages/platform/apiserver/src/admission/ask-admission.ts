import type { AnyObject } from "@trivium/kube";
import { append } from "@trivium/std";
import type { Call } from "../call.ts";
import type { AdmittedWrite } from "../ports.ts";
import { invalid } from "../refusals.ts";

/** Takes over what somebody else fills in, in place. Nobody owns those fields, as with webhooks of a cluster. */
export function fillByAdmission({ backend, resource }: Call, write: AdmittedWrite): void {
  const { admission } = backend;
  if (admission === undefined) return;
  const { object } = write;
  const filled = admission.fill(resource, write) as AnyObject;
  if (filled === object) return;
  for (const part of ["labels", "annotations"] as const) {
    const value = filled.metadata[part];
    if (value !== undefined) object.metadata[part] = value;
    else delete object.metadata[part];
  }
  if (filled.spec !== undefined) object.spec = filled.spec;
}

/** Refuses what somebody else finds fault with, and passes on what they warn of. */
export function judgeByAdmission({ backend, resource, warnings }: Call, write: AdmittedWrite): void {
  if (backend.admission === undefined) return;
  const outcome = backend.admission.judge(resource, write);
  append(warnings, outcome.warnings);
  if (outcome.faults.length > 0) throw invalid(resource, write.object.metadata.name ?? "", outcome.faults);
}
