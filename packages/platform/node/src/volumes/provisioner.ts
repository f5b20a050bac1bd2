import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@trivium/kube";

/** Makes what is behind the volumes of claims. */
export interface Provisioner {
  /** The volume of a claim. The node is where its first pod will run, when the class waits for that. Throws a refusal that passes. */
  provision(
    claim: PersistentVolumeClaim,
    storageClass: StorageClass,
    node: string | undefined,
  ): Promise<PersistentVolume>;
  /** The claim is gone and the volume is not to be kept. Throws a refusal while something still uses it. */
  remove(volume: PersistentVolume): Promise<void>;
}

/** Why a volume cannot be made or removed now, for the person who asked for it. */
export class ProvisionRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ProvisionRefusal";
  }
}
