import type { KubeObject } from "@trivium/kube";
import type { Where } from "@trivium/reconcile";
import { getOwn } from "@trivium/std";

export function matchesWhere(where: Where, object: KubeObject): boolean {
  const { metadata } = object;
  if (where.namespace !== undefined && metadata.namespace !== where.namespace) return false;
  if (where.owner !== undefined && !metadata.ownerReferences?.some(({ uid }) => uid === where.owner)) return false;
  for (const key in where.labels) if (metadata.labels?.[key] !== where.labels[key]) return false;
  for (const path in where.fields) if (fieldOf(object, path) !== where.fields[path]) return false;
  return true;
}

/** What stands at a path, as text; nothing where no single value does. */
export function fieldOf(object: KubeObject, path: string): string | undefined {
  let at: unknown = object;
  for (const step of path.split(".")) {
    if (typeof at !== "object" || at === null) return undefined;
    at = getOwn(at as Readonly<Record<string, unknown>>, step);
  }
  return typeof at === "object" || at === undefined ? undefined : String(at);
}

/** The places a reader or an object can be found under, most selective first: an owner, a label, a field, a namespace, everything. */
export const anchor = {
  owner: (uid: string) => `owner ${uid}`,
  label: (key: string, value: string) => `label ${key}=${value}`,
  field: (path: string, value: string) => `field ${path}=${value}`,
  namespace: (namespace: string) => `namespace ${namespace}`,
  key: (key: string) => `key ${key}`,
  everything: "everything",
} as const;

/** The one place where a list is kept: any object that it matches can be found there. */
export function anchorOf(where: Where): string {
  if (where.owner !== undefined) return anchor.owner(where.owner);
  for (const key in where.labels) return anchor.label(key, where.labels[key] as string);
  for (const path in where.fields) return anchor.field(path, where.fields[path] as string);
  return where.namespace === undefined ? anchor.everything : anchor.namespace(where.namespace);
}

/** What lists ask for: objects have many labels and fields. */
export interface Asked {
  readonly fields: Iterable<string>;
  /** All of them when left out. */
  readonly labels?: ReadonlySet<string>;
  readonly hasNamespaces: boolean;
  readonly hasOwners: boolean;
}

/** All places where a list that matches the object could be kept, among those that are asked for. */
export function anchorsOf(object: KubeObject, { fields, labels, hasNamespaces, hasOwners }: Asked): string[] {
  const { metadata } = object;
  const anchors: string[] = [];
  if (hasNamespaces && metadata.namespace !== undefined) anchors.push(anchor.namespace(metadata.namespace));
  for (const key in metadata.labels)
    if (labels?.has(key) ?? true) anchors.push(anchor.label(key, metadata.labels[key] as string));
  for (const path of fields) {
    const value = fieldOf(object, path);
    if (value !== undefined) anchors.push(anchor.field(path, value));
  }
  if (hasOwners) for (const { uid } of metadata.ownerReferences ?? []) anchors.push(anchor.owner(uid));
  return anchors;
}
