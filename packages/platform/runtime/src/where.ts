import type { KubeObject } from "@trivium/kube";
import type { Where } from "@trivium/reconcile";

export function matchesWhere(where: Where, { metadata }: KubeObject): boolean {
  if (where.namespace !== undefined && metadata.namespace !== where.namespace) return false;
  if (where.owner !== undefined && !metadata.ownerReferences?.some(({ uid }) => uid === where.owner)) return false;
  for (const key in where.labels) if (metadata.labels?.[key] !== where.labels[key]) return false;
  return true;
}

/** The places a reader or an object can be found under, most selective first: an owner, a label, a namespace, everything. */
export const anchor = {
  owner: (uid: string) => `owner ${uid}`,
  label: (key: string, value: string) => `label ${key}=${value}`,
  namespace: (namespace: string) => `namespace ${namespace}`,
  everything: "everything",
} as const;

/** The one place where a list is kept: any object that it matches can be found there. */
export function anchorOf(where: Where): string {
  if (where.owner !== undefined) return anchor.owner(where.owner);
  for (const key in where.labels) return anchor.label(key, where.labels[key] as string);
  return where.namespace === undefined ? anchor.everything : anchor.namespace(where.namespace);
}

/** All places where a list that matches the object could be kept. */
export function anchorsOf({ metadata }: KubeObject): string[] {
  const anchors: string[] = [anchor.everything];
  if (metadata.namespace !== undefined) anchors.push(anchor.namespace(metadata.namespace));
  for (const key in metadata.labels) anchors.push(anchor.label(key, metadata.labels[key] as string));
  for (const { uid } of metadata.ownerReferences ?? []) anchors.push(anchor.owner(uid));
  return anchors;
}
