import type { PersistentVolume, PersistentVolumeClaim } from "@trivium/kube";
import { formatTime } from "@trivium/std";
import { traits } from "../../traits.ts";
import { defaultClaim, defaultVolume } from "../defaults.ts";
import { checkClaim, checkVolume } from "./check-storage.ts";

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};
const modesText = (modes: readonly string[] = []): string =>
  Object.keys(shortModes)
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortModes[mode])
    .join(",");

const betaClass = "volume.beta.kubernetes.io/storage-class";

export const persistentVolumeClaim = traits<PersistentVolumeClaim>({
  validate: checkClaim,
  defaults: defaultClaim,
  prepareForCreate: (object) => {
    object.status = { phase: "Pending" };
  },
  cells: {
    Status: ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? "")),
    Volume: ({ spec }) => spec.volumeName ?? "",
    Capacity: ({ spec, status }) => (spec.volumeName ? String(status?.capacity?.storage ?? "0") : ""),
    "Access Modes": ({ spec, status }) => (spec.volumeName ? modesText(status?.accessModes) : ""),
    StorageClass: ({ metadata, spec }) => metadata.annotations?.[betaClass] ?? spec.storageClassName ?? "",
    VolumeAttributesClass: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
    VolumeMode: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
});

export const persistentVolume = traits<PersistentVolume>({
  validate: checkVolume,
  defaults: defaultVolume,
  prepareForCreate: (object, { now }) => {
    object.status = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
  },
  cells: {
    Capacity: ({ spec }) => String(spec.capacity?.storage ?? "0"),
    "Access Modes": ({ spec }) => modesText(spec.accessModes),
    "Reclaim Policy": ({ spec }) => spec.persistentVolumeReclaimPolicy ?? "",
    Status: ({ metadata, status }) => (metadata.deletionTimestamp ? "Terminating" : (status?.phase ?? "")),
    Claim: ({ spec }) => (spec.claimRef ? `${spec.claimRef.namespace ?? ""}/${spec.claimRef.name ?? ""}` : ""),
    StorageClass: ({ metadata, spec }) => metadata.annotations?.[betaClass] ?? spec.storageClassName ?? "",
    VolumeAttributesClass: ({ spec }) => spec.volumeAttributesClassName ?? "<unset>",
    Reason: ({ status }) => status?.reason ?? "",
    VolumeMode: ({ spec }) => spec.volumeMode ?? "<unset>",
  },
});
