import type { AnyObject } from "@trivium/kube";

/** Objects under the uid of each of their owners. */
export function groupByOwner(objects: readonly AnyObject[]): ReadonlyMap<string, readonly AnyObject[]> {
  const groups = new Map<string, AnyObject[]>();
  for (const object of objects)
    for (const { uid } of object.metadata.ownerReferences ?? []) groups.set(uid, [...(groups.get(uid) ?? []), object]);
  return groups;
}
