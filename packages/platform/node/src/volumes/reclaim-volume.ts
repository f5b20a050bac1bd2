import { isReason, type KubeClient, PersistentVolume } from "@trivium/kube";
import type { Provisioner } from "./provisioner.ts";

/** A volume whose claim is gone: it goes too, with what is behind it, unless it is to be kept. */
export async function reclaimVolume(client: KubeClient, storage: Provisioner, name: string): Promise<void> {
  const volume = await client.get(PersistentVolume, { name }).catch(ignoreReason("NotFound"));
  if (!volume) return;
  if (volume.spec?.persistentVolumeReclaimPolicy !== "Delete") {
    if (volume.status?.phase === "Released") return;
    const body = { status: { phase: "Released" } };
    await client.patch(PersistentVolume, { name }, { type: "merge", body }, { subresource: "status" });
    return;
  }
  await storage.remove(volume);
  await client.delete(PersistentVolume, { name }).catch(ignoreReason("NotFound"));
}

export function ignoreReason(reason: "AlreadyExists" | "NotFound"): (error: unknown) => void {
  return (error) => {
    if (!isReason(error, reason)) throw error;
  };
}
