import {
  controllerOf,
  type OwnerReference,
  ownerReferenceTo,
  PersistentVolumeClaim,
  type Pod,
  type StatefulSet,
} from "@trivium/kube";
import type { Desired, Patch } from "@trivium/reconcile";
import { isInRange, podNameOf } from "./identity.ts";

/** The claims of one pod of the set, as its templates want them. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const { namespace } = set.metadata;
    const labels = { ...template.metadata.labels, ...set.spec.selector.matchLabels };
    const { annotations } = template.metadata;
    const name = `${template.metadata.name}-${set.metadata.name}-${ordinal}`;
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, ...(namespace && { namespace }), labels, ...(annotations && { annotations }) },
      spec: template.spec,
    };
  });
}

/** A claim to be made for a pod. It stays when the set goes; what ends it is the retention policy. */
export function newClaim(set: StatefulSet, ordinal: number, claim: PersistentVolumeClaim): Desired {
  const about = `Create Claim ${claim.metadata.name}`;
  const place = `Pod ${podNameOf(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  return {
    kind: PersistentVolumeClaim,
    object: claim,
    outlivesOwner: true,
    createOnly: true,
    events: {
      made: { type: "Normal", reason: "SuccessfulCreate", message: `${about} ${place} success` },
      failed: { type: "Warning", reason: "FailedCreate", message: `${about} for ${place} failed error: ` },
    },
  };
}

/** Whether a claim waits for the garbage collector: it went with a pod of this name that is no more. */
export function isStale(set: StatefulSet, claim: PersistentVolumeClaim, ordinal: number): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== "Delete") return false;
  return (claim.metadata.ownerReferences ?? []).some(
    ({ kind, name }) => kind === "Pod" && name === podNameOf(set, ordinal),
  );
}

/** Puts the owners of a claim right; nothing when they are, or when the claim is in other hands. */
export function ownersPatch(
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
  claim: PersistentVolumeClaim,
): Patch | undefined {
  const there = claim.metadata.ownerReferences ?? [];
  const { uid: setUid = "" } = set.metadata;
  const { uid: podUid = "" } = pod.metadata;
  const isForeign = there.some((owner) => isNamesake(owner, set, pod) && owner.uid !== setUid && owner.uid !== podUid);
  const controller = controllerOf(claim);
  if (isForeign || (controller !== undefined && controller.uid !== setUid && controller.uid !== podUid))
    return undefined;
  const wanted = wantedOwners(set, pod, ordinal);
  const add = wanted.filter((owner) => !there.some(({ uid, controller: is }) => uid === owner.uid && is));
  const remove = [setUid, podUid].filter(
    (uid) => there.some((owner) => owner.uid === uid) && !wanted.some((owner) => owner.uid === uid),
  );
  if (add.length + remove.length === 0) return undefined;
  const { namespace, name = "" } = claim.metadata;
  return { patch: "owners", kind: PersistentVolumeClaim, ref: { namespace, name }, add, remove };
}

function isNamesake({ kind, name }: OwnerReference, set: StatefulSet, pod: Pod): boolean {
  return (kind === "StatefulSet" && name === set.metadata.name) || (kind === "Pod" && name === pod.metadata.name);
}

/** Whose end takes the claim along: the set's, the pod's that is scaled away, or nobody's. */
function wantedOwners(set: StatefulSet, pod: Pod, ordinal: number): OwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const isScaledAway = !isInRange(set, ordinal);
  if (whenScaled === "Delete" && isScaledAway) return [ownerReferenceTo(pod)];
  return whenDeleted === "Delete" ? [ownerReferenceTo(set)] : [];
}
