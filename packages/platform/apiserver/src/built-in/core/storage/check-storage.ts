import type { api, PersistentVolume, PersistentVolumeClaim } from "@trivium/kube";
import { type FieldError, forbidden, notSupported, required } from "@trivium/schema";
import { cloneJson, compareQuantity, deepEqual, type Json, parseQuantity } from "@trivium/std";
import { restore } from "../../checks/restore.ts";
import { dnsSubdomain, immutable, oneOf, requiredText } from "../../checks/values.ts";
import { checkNodeSelector } from "../../pod-template/check-scheduling.ts";
import { checkHostPath } from "../../pod-template/check-volume.ts";
import { checkAccessModes, checkClaimSpec, checkPositive, volumeModes } from "./check-claim-spec.ts";

export function checkClaim({ spec, status }: PersistentVolumeClaim, old?: PersistentVolumeClaim): FieldError[] {
  const faults = checkClaimSpec("spec", spec);
  if (old === undefined) return faults;
  return [
    ...faults,
    ...checkClaimChange(spec, old.spec, { isBound: (old.status?.phase ?? status?.phase) === "Bound" }),
  ];
}

const claimMayChange =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

function checkClaimChange(
  spec: api.PersistentVolumeClaimSpec,
  old: api.PersistentVolumeClaimSpec,
  { isBound }: { isBound: boolean },
): FieldError[] {
  const grown = spec.resources?.requests?.storage;
  const before = old.resources?.requests?.storage;
  const next = cloneJson(spec);
  if (!old.volumeName) restore(next, old, "volumeName");
  if (isBound) restore(next, old, "resources");
  restore(next, old, "volumeAttributesClassName");
  if (old.storageClassName === undefined) restore(next, old, "storageClassName");
  if (!deepEqual(next, old)) return [forbidden("spec", claimMayChange)];
  const [a, b] = [parseQuantity(grown ?? 0), parseQuantity(before ?? 0)];
  const shrinks = isBound && a !== undefined && b !== undefined && compareQuantity(a, b) < 0;
  return shrinks ? [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")] : [];
}

const volumeKinds = [
  "hostPath",
  "nfs",
  "local",
  "csi",
  "iscsi",
  "fc",
  "cephfs",
  "rbd",
  "azureDisk",
  "azureFile",
  "awsElasticBlockStore",
  "gcePersistentDisk",
  "vsphereVolume",
  "cinder",
  "flexVolume",
  "glusterfs",
  "portworxVolume",
  "scaleIO",
  "storageos",
  "quobyte",
  "flocker",
  "photonPersistentDisk",
] as const;

export function checkVolume({ spec }: PersistentVolume, old?: PersistentVolume): FieldError[] {
  const capacity = spec.capacity ?? {};
  const [first, ...more] = volumeKinds.filter((kind) => spec[kind] !== undefined);
  const lacksStorage = capacity.storage === undefined || Object.keys(capacity).length > 1;
  return [
    ...((spec.accessModes ?? []).length === 0 ? [required("spec.accessModes")] : []),
    ...checkAccessModes("spec.accessModes", spec.accessModes ?? []),
    ...(Object.keys(capacity).length === 0 ? [required("spec.capacity")] : []),
    ...(lacksStorage ? [notSupported("spec.capacity", (spec.capacity ?? null) as Json, ["storage"])] : []),
    ...Object.entries(capacity).flatMap(([name, amount]) => checkPositive(`spec.capacity[${name}]`, amount)),
    ...oneOf("spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy, ["Delete", "Recycle", "Retain"]),
    ...(spec.nodeAffinity ? checkNodes("spec.nodeAffinity.required", spec.nodeAffinity.required) : []),
    ...(spec.hostPath ? checkHostPath("spec.hostPath", spec.hostPath) : []),
    ...(spec.csi
      ? [
          ...requiredText("spec.csi.driver", spec.csi.driver),
          ...requiredText("spec.csi.volumeHandle", spec.csi.volumeHandle),
        ]
      : []),
    ...(spec.local && !spec.nodeAffinity ? [required("spec.nodeAffinity", "Local volume requires node affinity")] : []),
    ...more.map((kind) => forbidden(`spec.${kind}`, "may not specify more than 1 volume type")),
    ...(first === undefined ? [required("spec", "must specify a volume type")] : []),
    ...(spec.storageClassName ? dnsSubdomain("spec.storageClassName", spec.storageClassName) : []),
    ...oneOf("spec.volumeMode", spec.volumeMode, volumeModes),
    ...(old === undefined ? [] : checkVolumeChange(spec, old.spec)),
  ];
}

const checkNodes = (at: string, selector: api.NodeSelector | undefined): FieldError[] =>
  selector === undefined ? [required(at, "must specify required node constraints")] : checkNodeSelector(at, selector);

function checkVolumeChange(spec: api.PersistentVolumeSpec, old: api.PersistentVolumeSpec): FieldError[] {
  const source = (one: api.PersistentVolumeSpec) => Object.fromEntries(volumeKinds.map((kind) => [kind, one[kind]]));
  const moved = !deepEqual(source(spec), source(old));
  return [
    ...(moved
      ? [forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")]
      : []),
    ...immutable("volumeMode", spec.volumeMode, old.volumeMode),
  ];
}
