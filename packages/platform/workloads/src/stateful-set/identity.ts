import type { Pod, StatefulSet } from "@trivium/kube";

export const podNameLabel = "statefulset.kubernetes.io/pod-name";
export const podIndexLabel = "apps.kubernetes.io/pod-index";
export const revisionLabel = "controller-revision-hash";

export const wantedOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;
export const startOf = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[revisionLabel] ?? "";
export const podNameOf = (set: StatefulSet, ordinal: number): string => `${set.metadata.name}-${ordinal}`;

/** The number at the end of a pod's name; nothing for a pod that is not named after the set. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const [, parent, number] = /^(.*)-(\d+)$/.exec(metadata.name ?? "") ?? [];
  if (parent !== set.metadata.name || number === undefined) return undefined;
  return Number(number) <= 2_147_483_647 ? Number(number) : undefined;
}

export function isInRange(set: StatefulSet, ordinal: number): boolean {
  return ordinal >= startOf(set) && ordinal < startOf(set) + wantedOf(set);
}

/** Labels that make a pod the one of its number. */
export function identityLabels(set: StatefulSet, ordinal: number): Record<string, string> {
  return { [podNameLabel]: podNameOf(set, ordinal), [podIndexLabel]: String(ordinal) };
}
