import { PersistentVolumeClaim, type Ref, StorageClass } from "@trivium/kube";
import type { Reader } from "@trivium/reconcile";
import { type Fact, known } from "@trivium/std";

/** A claim, as far as weights depend on it. */
export interface ObservedVolume {
  readonly phase: string;
  /** It is bound only when a pod uses it. */
  readonly waitsForPod: boolean;
  /** The StorageClass that it names and that does not exist. */
  readonly missingClass?: string;
}

export const volumeReads = [PersistentVolumeClaim, StorageClass] as const;

/** Its class says why it has no volume yet. */
export function observeVolume(ref: Ref, reader: Reader<(typeof volumeReads)[number]>): Fact<ObservedVolume> {
  const claim = reader.get(PersistentVolumeClaim, ref);
  if (claim.is !== "known") return claim;
  const { spec, status } = claim.value;
  const phase = status?.phase ?? "Pending";
  const className = spec?.storageClassName ?? "";
  if (className === "") return known({ phase, waitsForPod: false });
  const storage = reader.get(StorageClass, { name: className });
  const waitsForPod = storage.is === "known" && storage.value.volumeBindingMode === "WaitForFirstConsumer";
  return known({ phase, waitsForPod, ...(storage.is === "absent" ? { missingClass: className } : {}) });
}
