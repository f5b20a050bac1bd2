import {
  amountOf,
  matchesLabels,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
  selectorOf,
} from "@trivium/kube";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { matchesAnyTerm } from "./node-terms.ts";

export const selectedNode = "volume.kubernetes.io/selected-node";
const bindCompleted = "pv.kubernetes.io/bind-completed";
const noProvisioner = "kubernetes.io/no-provisioner";

/** The claims of a pod: those that have a volume, and those that get one when it is known where the pod goes. */
export interface VolumeNeeds {
  readonly bound: readonly PersistentVolumeClaim[];
  readonly waiting: readonly PersistentVolumeClaim[];
  /** Set when no node can help. */
  readonly refused?: string;
}

/** What binding the pod to a node means for its claims. */
export interface VolumeChoice {
  readonly claim: PersistentVolumeClaim;
  /** A volume that is there already; left out when one is to be made. */
  readonly volume?: PersistentVolume;
}

export function volumeNeedsOf(podInfo: PodInfo, snapshot: Snapshot): VolumeNeeds {
  const bound: PersistentVolumeClaim[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  let isWaitingForOthers = false;
  for (const name of podInfo.claims) {
    const claim = snapshot.claims.get(`${podInfo.pod.metadata.namespace}/${name}`);
    const refused = refusalOf(podInfo, name, claim);
    if (claim === undefined || refused !== undefined) return { bound, waiting, refused: refused ?? "" };
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(claim, snapshot)) waiting.push(claim);
    else isWaitingForOthers = true;
  }
  return isWaitingForOthers
    ? { bound, waiting, refused: "pod has unbound immediate PersistentVolumeClaims" }
    : { bound, waiting };
}

function refusalOf({ pod }: PodInfo, name: string, claim: PersistentVolumeClaim | undefined): string | undefined {
  if (claim === undefined) {
    const isNamed = pod.spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name);
    return isNamed
      ? `persistentvolumeclaim "${name}" not found`
      : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
  }
  if (claim.status?.phase === "Lost") {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName}"`;
  }
  return claim.metadata.deletionTimestamp === undefined
    ? undefined
    : `persistentvolumeclaim "${name}" is being deleted`;
}

function isBound({ metadata, spec, status }: PersistentVolumeClaim): boolean {
  return (
    Boolean(spec?.volumeName) && (metadata.annotations?.[bindCompleted] !== undefined || status?.phase === "Bound")
  );
}

function isDelayed({ spec }: PersistentVolumeClaim, { storageClasses }: Snapshot): boolean {
  return (
    !spec?.volumeName && classOf(spec?.storageClassName, storageClasses)?.volumeBindingMode === "WaitForFirstConsumer"
  );
}

function classOf(name: string | undefined, classes: Snapshot["storageClasses"]): StorageClass | undefined {
  return name === undefined ? undefined : classes.get(name);
}

export type VolumeAnswer =
  | { readonly is: "fits"; readonly choices: readonly VolumeChoice[] }
  | { readonly is: "conflict"; readonly reasons: readonly string[] };

const conflict = (reason: string): VolumeAnswer => ({ is: "conflict", reasons: [reason] });

/** Whether a node can have the volumes, and which claims would have to be served how. */
export function chooseVolumes(needs: VolumeNeeds, nodeInfo: NodeInfo, snapshot: Snapshot): VolumeAnswer {
  for (const { spec } of needs.bound) {
    const volume = snapshot.volumes.get(spec?.volumeName ?? "");
    if (volume === undefined) {
      return conflict("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
    }
    if (!reaches(volume, nodeInfo)) return conflict("node(s) didn't match PersistentVolume's node affinity");
  }
  const choices: VolumeChoice[] = [];
  const taken = new Set(snapshot.promised);
  for (const claim of needs.waiting.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const choice = chooseVolume(claim, nodeInfo, snapshot, taken);
    if (choice === undefined) return conflict("node(s) didn't find available persistent volumes to bind");
    if (choice.volume !== undefined) taken.add(choice.volume.metadata.name ?? "");
    choices.push(choice);
  }
  return { is: "fits", choices };
}

function chooseVolume(
  claim: PersistentVolumeClaim,
  nodeInfo: NodeInfo,
  snapshot: Snapshot,
  taken: ReadonlySet<string>,
): VolumeChoice | undefined {
  const selected = claim.metadata.annotations?.[selectedNode];
  if (selected !== undefined && selected !== nodeInfo.name) return undefined;
  const volume = selected === undefined ? smallestFor(claim, nodeInfo, snapshot, taken) : undefined;
  if (volume !== undefined) return { claim, volume };
  const storage = classOf(claim.spec?.storageClassName, snapshot.storageClasses);
  const canMake = storage !== undefined && storage.provisioner !== noProvisioner && isAllowed(storage, nodeInfo);
  return canMake ? { claim } : undefined;
}

function smallestFor(
  claim: PersistentVolumeClaim,
  nodeInfo: NodeInfo,
  snapshot: Snapshot,
  taken: ReadonlySet<string>,
): PersistentVolume | undefined {
  const fitting = [...snapshot.volumes.values()].filter(
    (volume) => !taken.has(volume.metadata.name ?? "") && serves(volume, claim) && reaches(volume, nodeInfo),
  );
  return fitting.sort((a, b) => capacityOf(a) - capacityOf(b))[0];
}

function serves({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (spec === undefined || metadata.deletionTimestamp !== undefined) return false;
  const { claimRef } = spec;
  const isFree =
    claimRef === undefined ? (status?.phase ?? "Available") === "Available" : claimRef.uid === claim.metadata.uid;
  if (!isFree || (spec.storageClassName ?? "") !== (claim.spec?.storageClassName ?? "")) return false;
  if ((spec.volumeMode ?? "Filesystem") !== (claim.spec?.volumeMode ?? "Filesystem")) return false;
  if (!claim.spec?.accessModes?.every((mode) => spec.accessModes?.includes(mode))) return false;
  if (claim.spec.selector !== undefined && !matchesLabels(selectorOf(claim.spec.selector), metadata.labels))
    return false;
  return amountOf("storage", spec.capacity?.storage ?? 0) >= sizeOf(claim);
}

const sizeOf = ({ spec }: PersistentVolumeClaim): number =>
  amountOf("storage", spec?.resources?.requests?.storage ?? 0);
const capacityOf = ({ spec }: PersistentVolume): number => amountOf("storage", spec?.capacity?.storage ?? 0);

function reaches({ spec }: PersistentVolume, { node }: NodeInfo): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || matchesAnyTerm(required.nodeSelectorTerms, node);
}

function isAllowed({ allowedTopologies }: StorageClass, { labels }: NodeInfo): boolean {
  if (allowedTopologies === undefined || allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(labels[key] ?? "")),
  );
}

/** A claim for one pod at a time that another pod has. */
export function isClaimTaken(podInfo: PodInfo, snapshot: Snapshot): boolean {
  const exclusive = podInfo.claims.filter((name) => {
    const claim = snapshot.claims.get(`${podInfo.pod.metadata.namespace}/${name}`);
    return claim?.spec?.accessModes?.includes("ReadWriteOncePod");
  });
  if (exclusive.length === 0) return false;
  return snapshot.nodeInfos.some(({ podInfos }) =>
    podInfos
      .values()
      .some((other) => sharesDomain(other, podInfo) && other.claims.some((name) => exclusive.includes(name))),
  );
}

function sharesDomain(other: PodInfo, podInfo: PodInfo): boolean {
  return other.key !== podInfo.key && other.pod.metadata.namespace === podInfo.pod.metadata.namespace;
}
