import { apiVersionOf, type Kind, type KubeObject, type Ref } from "@trivium/kube";
import type { WriteContext } from "./write-context.ts";

/** The names of field managers that a reconciler and its patches had before it was renamed. */
export interface ManagedPart {
  /** The manager of a reconciler of this name, for this part of an object. */
  managerOf(reconciler: string): string;
  readonly subresource?: "status";
}

export const ofChild: ManagedPart = { managerOf: (reconciler) => reconciler };
export const ofStatus: ManagedPart = { ...ofChild, subresource: "status" };

/** Which managers of former names still own fields of an object. */
export function formerManagersOf(
  { caches, reconciler }: WriteContext,
  live: KubeObject,
  { managerOf, subresource }: ManagedPart = ofChild,
): string[] {
  const former = (reconciler.formerNames ?? []).map(managerOf);
  return former.filter((manager) => caches.fieldRecord.fieldsOf(live, manager, subresource) !== undefined);
}

/**
 * Takes the fields of an object away from managers of former names, after the present one has applied all that is wanted: what both own
 * stays untouched, what only the former owned is no longer wanted and goes. Gives back the object as it was written last.
 */
export async function releaseFormer(
  { client, report }: WriteContext,
  target: { readonly kind: Kind; readonly ref: Ref; readonly written: KubeObject },
  managers: readonly string[],
  { subresource }: ManagedPart = ofChild,
): Promise<KubeObject> {
  const { kind, ref } = target;
  let { written } = target;
  const metadata = { ...ref, uid: written.metadata.uid ?? "" };
  const nothing = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata } as KubeObject;
  for (const fieldManager of managers) {
    report.writes += 1;
    written = await client.apply(kind, nothing, {
      fieldManager,
      force: true,
      ...(subresource === undefined ? {} : { subresource }),
    });
  }
  return written;
}
