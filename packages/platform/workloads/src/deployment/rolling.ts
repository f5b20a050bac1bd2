import type { Deployment, ReplicaSet } from "@trivium/kube";
import { maxUnavailableOf, wantedOf } from "./limits.ts";
import { spaceFor } from "./new-set.ts";
import { activeOf, sizeOf, sizeOfAll } from "./replica-sets.ts";

/** New sizes of sets; a set that is not named keeps its own. */
export type Sizes = ReadonlyMap<ReplicaSet, number>;

/** One step of a rolling update: the current set grows if it can, else old ones shrink if they can. */
export function planRolling(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const size = currentSize(deployment, current, old);
  if (size !== sizeOf(current)) return new Map([[current, size]]);
  return oldSizes(deployment, current, activeOf(old));
}

function currentSize(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): number {
  const wanted = wantedOf(deployment);
  const size = sizeOf(current);
  return size >= wanted ? wanted : spaceFor(deployment, old, size);
}

/**
 * Old sets give up pods that do not work first, then as many as can be missed. Pods of the current set that do not work yet are
 * counted as missing already.
 */
function oldSizes(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Sizes {
  const minAvailable = wantedOf(deployment) - maxUnavailableOf(deployment);
  const unavailableNew = sizeOf(current) - availableIn(current);
  const spare = sizeOfAll(old) + sizeOf(current) - minAvailable - unavailableNew;
  const sizes = new Map<ReplicaSet, number>();
  if (spare <= 0) return sizes;
  shrink(old, sizes, spare, (set) => sizeOf(set) - availableIn(set));
  const available = [...old, current].reduce((sum, set) => sum + availableIn(set), 0);
  shrink(old, sizes, available - minAvailable, (set) => sizes.get(set) ?? sizeOf(set));
  return sizes;
}

const availableIn = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** Takes up to `count` pods from the sets, oldest first, from each at most what it can give. */
function shrink(
  sets: readonly ReplicaSet[],
  sizes: Map<ReplicaSet, number>,
  count: number,
  canGive: (set: ReplicaSet) => number,
): void {
  let left = count;
  for (const set of sets) {
    const taken = Math.min(left, canGive(set));
    if (taken <= 0) continue;
    sizes.set(set, (sizes.get(set) ?? sizeOf(set)) - taken);
    left -= taken;
  }
}
