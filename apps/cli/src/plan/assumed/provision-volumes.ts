import { isReason, type KubeClient, PersistentVolume, PersistentVolumeClaim, StorageClass } from "@trivium/kube";

/**
 * Gives every claim a volume that any node can mount: a plan assumes that volumes are provisioned, and does not read those that exist. A
 * claim of a class that the cluster does not have stays without one.
 */
export async function provisionVolumes(client: KubeClient): Promise<void> {
  const [{ items: claims }, { items: classes }] = await Promise.all([
    client.list(PersistentVolumeClaim),
    client.list(StorageClass),
  ]);
  const names = classes.map(({ metadata }) => metadata.name);
  for (const claim of claims) {
    const { storageClassName: name, volumeName } = claim.spec ?? {};
    const hasClass = !name || names.length === 0 || names.includes(name);
    if (volumeName !== undefined || hasClass) await provision(client, claim);
  }
}

async function provision(client: KubeClient, { metadata, spec, status }: PersistentVolumeClaim): Promise<void> {
  const { namespace = "", name = "", uid } = metadata;
  const { volumeName = `assumed-${uid}`, accessModes = ["ReadWriteOnce"], storageClassName } = spec ?? {};
  const capacity = status?.capacity ?? spec?.resources?.requests ?? { storage: "1Gi" };
  const claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid };
  const volume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: volumeName },
    spec: { capacity, accessModes, claimRef, storageClassName, hostPath: { path: "/assumed" } },
  } as unknown as PersistentVolume;
  await client.create(PersistentVolume, volume).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
  const ref = { namespace, name };
  if (spec?.volumeName === undefined)
    await client.patch(PersistentVolumeClaim, ref, { type: "merge", body: { spec: { volumeName } } });
  const bound = { phase: "Bound", accessModes, capacity };
  const patch = { type: "merge", body: { status: bound } } as never;
  if (status?.phase !== "Bound") await client.patch(PersistentVolumeClaim, ref, patch, { subresource: "status" });
}
