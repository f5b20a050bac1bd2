import type { Deployment, PodTemplateSpec, ReplicaSet } from "@trivium/kube";
import { deepEqual } from "@trivium/std";
import { byAge } from "../pods/claim.ts";

export const templateHashLabel = "pod-template-hash";

/** The sets of a deployment: the one that has its template, if it is there yet, and all others, oldest first. */
export interface ReplicaSets {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

export const sizeOf = ({ spec }: ReplicaSet): number => spec.replicas ?? 1;
export const sizeOfAll = (sets: readonly ReplicaSet[]): number => sets.reduce((sum, set) => sum + sizeOf(set), 0);
export const activeOf = (sets: readonly ReplicaSet[]): ReplicaSet[] => sets.filter((set) => sizeOf(set) > 0);

export function allOf({ current, old }: ReplicaSets): readonly ReplicaSet[] {
  return current === undefined ? old : [...old, current];
}

/** Of several sets with the template the oldest counts. */
export function sortSets(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSets {
  const byTime = sets.toSorted(byAge);
  const current = byTime.find((set) => isSameTemplate(set.spec.template, deployment.spec.template));
  return { current, old: byTime.filter((set) => set !== current) };
}

export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const labels = template?.metadata?.labels;
  if (labels?.[templateHashLabel] === undefined) return template;
  const { [templateHashLabel]: _, ...rest } = labels;
  return { ...template, metadata: { ...template?.metadata, labels: rest } };
}
