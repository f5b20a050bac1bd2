import { mkdir, rm, statfs } from "node:fs/promises";
import { dirname, join, normalize, resolve } from "node:path";
import {
  isReason,
  type KubeClient,
  type PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
} from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { claimsOfPod } from "./claim-of-pod.ts";
import { type Provisioner, ProvisionRefusal } from "./provisioner.ts";
import { volumeNameOf, volumeOf } from "./volume-of-claim.ts";

/** Who makes the volumes of the local class. */
export const localProvisioner = "trivium.dev/local";
export const localClass = "trivium-local";

export interface FolderProvisionerOptions {
  readonly client: KubeClient;
  /** Volumes are folders in this one. */
  readonly root: string;
  /** The node whose disk it is. */
  readonly node: string;
  /** Free bytes of the disk under the root; asked of the machine when left out. */
  readonly freeBytes?: () => Promise<number>;
}

/** Volumes that are folders on a disk of this machine. */
export function folderProvisioner(options: FolderProvisionerOptions): Provisioner {
  const { client, root, node } = options;
  const freeBytes = options.freeBytes ?? (() => freeUnder(root));
  return {
    async provision(claim, storageClass, chosen) {
      if (chosen !== undefined && chosen !== node)
        throw new ProvisionRefusal(`node ${chosen} was selected, but the volume would be on node ${node}`);
      if (claim.spec?.volumeMode === "Block")
        throw new ProvisionRefusal("volumeMode Block is not supported; use Filesystem");
      const asked = claim.spec?.resources?.requests?.storage ?? "0";
      const wanted = parseQuantity(asked);
      await mkdir(root, { recursive: true, mode: 0o700 });
      if (wanted === undefined || quantityToNumber(wanted) > (await freeBytes())) {
        throw new ProvisionRefusal(
          `it requests ${asked}, but the disk of node ${node} has less free space; request less, or free some`,
        );
      }
      const volume = volumeOf(claim, storageClass, node);
      const { namespace, name } = claim.metadata;
      const path = join(root, `${volumeNameOf(claim)}_${namespace}_${name}`);
      await mkdir(path, { recursive: true, mode: 0o700 });
      return { ...volume, spec: { ...volume.spec, hostPath: { path, type: "DirectoryOrCreate" } } } as PersistentVolume;
    },
    async remove(volume) {
      const { claimRef, hostPath } = volume.spec ?? {};
      const path = hostPath?.path ?? "";
      // The object may have been edited: only a folder right under the root is one of ours, and no link can be in between.
      if (dirname(path) !== resolve(root) || normalize(path) !== path) return;
      if (await isUsed(client, claimRef)) throw new ProvisionRefusal("a pod still uses it");
      await rm(path, { recursive: true, force: true });
    },
  };
}

type ClaimRef = { namespace?: string | undefined; name?: string | undefined; uid?: string | undefined };

/** Whether a pod uses the claim; pods name it, and another claim may have the name by now. */
async function isUsed(client: KubeClient, { namespace = "default", name = "", uid }: ClaimRef = {}): Promise<boolean> {
  const now = await client.get(PersistentVolumeClaim, { namespace, name }).catch((error: unknown) => {
    if (!isReason(error, "NotFound")) throw error;
    return undefined;
  });
  if (now !== undefined && now.metadata.uid !== uid) return false;
  const { items } = await client.list(Pod, { namespace });
  return items.some((pod) => {
    const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
    return !isOver && pod.spec?.nodeName !== undefined && claimsOfPod(pod).includes(name);
  });
}

async function freeUnder(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** The class that claims get on this machine when they ask for none. Whoever changed it keeps their changes. */
export async function ensureLocalClass(client: KubeClient): Promise<void> {
  const storageClass: StorageClass = {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: localClass, annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
    provisioner: localProvisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
  };
  await client.create(StorageClass, storageClass).catch((error: unknown) => {
    if (!isReason(error, "AlreadyExists")) throw error;
  });
}
