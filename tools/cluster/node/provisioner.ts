// Gives every PersistentVolumeClaim of class `local` a folder on the node, as local provisioners of small clusters do. Used as
// `node tools/cluster/node/provisioner.ts <kubeconfig> <folder>`.
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createClient, httpTransport, loadKubeconfig } from "@trivium/client";
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@trivium/kube";

const [kubeconfig = "", folder = ""] = process.argv.slice(2);
const client = createClient(httpTransport(await loadKubeconfig(kubeconfig)));
const className = "local";

await client.create(StorageClass, {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: className, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: "trivium.dev/local",
  volumeBindingMode: "Immediate",
  reclaimPolicy: "Delete",
});

for (;;) {
  const { items, metadata } = await client.list(PersistentVolumeClaim);
  for (const claim of items) await provide(claim);
  for await (const event of client.watch(PersistentVolumeClaim, { resourceVersion: metadata.resourceVersion ?? "" })) {
    if (event.type === "ADDED" || event.type === "MODIFIED") await provide(event.object);
  }
}

async function provide(claim: PersistentVolumeClaim): Promise<void> {
  const { name = "", namespace = "", uid = "" } = claim.metadata;
  if (claim.spec?.storageClassName !== className || claim.spec.volumeName !== undefined) return;
  const path = join(folder, uid);
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o777);
  await client
    .create(PersistentVolume, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `pvc-${uid}` },
      spec: {
        storageClassName: className,
        capacity: { storage: claim.spec.resources?.requests?.storage ?? "1Gi" },
        accessModes: claim.spec.accessModes ?? ["ReadWriteOnce"],
        persistentVolumeReclaimPolicy: "Retain",
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid },
        hostPath: { path, type: "DirectoryOrCreate" },
      },
    })
    .catch((error: unknown) => console.error(String(error)));
}
