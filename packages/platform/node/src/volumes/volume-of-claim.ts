import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@trivium/kube";

/** The same for the same claim: two tries make one volume. */
export const volumeNameOf = (claim: PersistentVolumeClaim): string => `pvc-${claim.metadata.uid}`;

/** The volume that a claim gets: as large as asked, kept for this claim alone, and on this node where the class waits for a consumer. */
export function volumeOf(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  node: string | undefined,
): PersistentVolume {
  const { name = "", namespace = "", uid } = claim.metadata;
  const onNode = [{ matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [node ?? ""] }] }];
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: volumeNameOf(claim),
      annotations: { "pv.kubernetes.io/provisioned-by": storageClass.provisioner },
    },
    spec: {
      accessModes: [...(claim.spec?.accessModes ?? ["ReadWriteOnce"])],
      capacity: { storage: claim.spec?.resources?.requests?.storage ?? "1Gi" },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name ?? "",
      volumeMode: claim.spec?.volumeMode ?? "Filesystem",
      hostPath: { path: `/var/lib/trivium/claims/${namespace}/${name}`, type: "DirectoryOrCreate" },
      ...(node === undefined ? {} : { nodeAffinity: { required: { nodeSelectorTerms: onNode } } }),
    },
  } as PersistentVolume;
}
