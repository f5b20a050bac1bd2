import {
  apiVersionOf,
  groupResourceOf,
  isOwnedBy,
  type Kind,
  type KubeObject,
  ownerReferenceTo,
  type Ref,
} from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";
import { keyOf } from "../caches/cache.ts";
import { joined } from "../caches/joined.ts";

/** A desired child, complete: in its namespace, with its owner. */
export interface Child {
  readonly kind: Kind;
  readonly ref: Ref;
  /** The same for the same object, whoever wants it. */
  readonly id: string;
  readonly desired: Desired;
  readonly object: KubeObject;
}

export const childId = (kind: Kind, ref: Ref): string => joined(groupResourceOf(kind), keyOf(ref));

export function describeChild(kind: Kind, ref: Ref): string {
  return `${kind.kind} ${ref.namespace ? `${ref.namespace}/` : ""}${ref.name}`;
}

export function childrenOf(owner: KubeObject, desired: readonly Desired[]): Child[] {
  const children = desired.map((request) => childOf(owner, request));
  const seen = new Set<string>();
  for (const { id, kind, ref } of children) {
    if (seen.has(id)) throw new Error(`${describeChild(kind, ref)} is desired twice in one decision`);
    seen.add(id);
  }
  return children;
}

function childOf(owner: KubeObject, desired: Desired): Child {
  const { kind, object } = desired;
  const { name } = object.metadata;
  if (!name) throw new Error(`a desired ${kind.kind} has no name; children are identified by their names`);
  const namespace = kind.namespaced ? (object.metadata.namespace ?? owner.metadata.namespace) : undefined;
  const ref: Ref = kind.namespaced ? { namespace, name } : { name };
  const metadata = { ...object.metadata, ...(namespace === undefined ? {} : { namespace }) };
  if (!desired.outlivesOwner) {
    refuseImpossibleOwner(owner, kind, ref);
    metadata.ownerReferences = [ownerReferenceTo(owner)];
  }
  const whole: KubeObject = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
  return { kind, ref, id: childId(kind, ref), desired, object: whole };
}

/** The garbage collector deletes children whose owner it cannot find where owners may be: in their namespace or cluster-wide. */
function refuseImpossibleOwner(owner: KubeObject, kind: Kind, ref: Ref): void {
  const home = owner.metadata.namespace;
  if (home === undefined || home === ref.namespace) return;
  throw new Error(
    `${describeChild(kind, ref)} cannot be owned by ${owner.kind} ${home}/${owner.metadata.name} in another ` +
      "namespace; set outlivesOwner and delete it with a finalizer",
  );
}

/** Whether a live object may be changed: the owner controls it, or this manager made it and nobody controls it now. */
export function isOurs(child: Child, live: KubeObject, owner: KubeObject, wasApplied: boolean): boolean {
  if (child.desired.outlivesOwner) return wasApplied;
  if (isOwnedBy(live, owner)) return true;
  return wasApplied && !live.metadata.ownerReferences?.some(({ controller }) => controller);
}
