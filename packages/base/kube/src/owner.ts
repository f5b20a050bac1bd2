import type { KubeObject, OwnerReference } from "./object.ts";

/** A reference that makes `owner` the controller of the object that carries it. */
export function ownerReferenceTo(owner: KubeObject): OwnerReference {
  const { name, uid } = owner.metadata;
  if (name === undefined || uid === undefined) {
    throw new Error(`${owner.kind} ${name ?? ""} cannot own objects before it is stored: it has no uid`);
  }
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The one owner that controls the object, if there is one. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** By uid, so that an owner that was deleted and made again does not inherit. */
export function isOwnedBy(object: KubeObject, owner: KubeObject): boolean {
  const { uid } = owner.metadata;
  return uid !== undefined && (object.metadata.ownerReferences?.some((reference) => reference.uid === uid) ?? false);
}
