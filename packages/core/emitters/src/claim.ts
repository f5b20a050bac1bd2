import type { ClaimPlan } from "@trivium/domain";
import { PersistentVolumeClaim } from "@trivium/kube";
import type { Desired } from "@trivium/reconcile";

/** A claim cannot change after it was made, so it is made once. */
export function emitClaim(plan: ClaimPlan): Desired<PersistentVolumeClaim> {
  const { name, labels, size, accessMode, storageClass, life } = plan;
  const object: PersistentVolumeClaim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, labels: { ...labels } },
    spec: {
      accessModes: [accessMode],
      resources: { requests: { storage: size } },
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
    },
  };
  const desired = { kind: PersistentVolumeClaim, object, createOnly: true } as const;
  return life === "shared" ? { ...desired, outlivesOwner: true } : desired;
}
