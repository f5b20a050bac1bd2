import type { Deployment, ReplicaSet } from "@trivium/kube";
import { byAge } from "../pods/claim.ts";
import { isRolling, maxSurgeOf, wantedOf } from "./limits.ts";
import { activeOf, allOf, type ReplicaSets, sizeOf, sizeOfAll } from "./replica-sets.ts";
import { desiredReplicasOf, maxReplicasOf } from "./revision.ts";
import type { Sizes } from "./rolling.ts";

/** Whether the wish for a number of pods has changed since the sets were last sized. */
export function isScaling(deployment: Deployment, sets: ReplicaSets): boolean {
  const wanted = wantedOf(deployment);
  return activeOf(allOf(sets)).some((set) => (desiredReplicasOf(set) ?? wanted) !== wanted);
}

export interface Scaling {
  readonly sizes: Sizes;
  /** Sets that are to remember the new size of the deployment. */
  readonly marked: readonly ReplicaSet[];
}

/** New sizes after a change of the wish, or while paused: what a rollout has reached so far keeps its proportions. */
export function planScaling(deployment: Deployment, sets: ReplicaSets): Scaling {
  const wanted = wantedOf(deployment);
  const only = activeOrLatest(sets);
  if (only !== undefined) return lazily([[only, wanted]]);
  if (isSaturated(deployment, sets.current)) return lazily(activeOf(sets.old).map((set) => [set, 0]));
  if (!isRolling(deployment)) return { sizes: new Map(), marked: [] };
  const active = activeOf(allOf(sets));
  return { sizes: proportionalSizes(deployment, active), marked: active };
}

function lazily(sizes: readonly (readonly [ReplicaSet, number])[]): Scaling {
  const changed = sizes.filter(([set, size]) => sizeOf(set) !== size);
  return { sizes: new Map(changed), marked: changed.map(([set]) => set) };
}

/** The one set with pods; where there is none, the newest. Nothing when several have pods. */
function activeOrLatest(sets: ReplicaSets): ReplicaSet | undefined {
  const active = activeOf(allOf(sets));
  if (active.length > 1) return undefined;
  return active[0] ?? sets.current ?? sets.old.toSorted(byAge).at(-1);
}

function isSaturated(deployment: Deployment, set: ReplicaSet | undefined): boolean {
  if (set === undefined) return false;
  const wanted = wantedOf(deployment);
  return [sizeOf(set), desiredReplicasOf(set), set.status?.availableReplicas ?? 0].every((size) => size === wanted);
}

function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): Sizes {
  const wanted = wantedOf(deployment);
  const allowed = wanted > 0 ? wanted + maxSurgeOf(deployment) : 0;
  const toAdd = allowed - sizeOfAll(active);
  // The largest first; of equal ones the newest grows first, and the oldest shrinks first.
  const sorted = active.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  const sizes = new Map<ReplicaSet, number>();
  let added = 0;
  for (const set of sorted) {
    const share = toAdd === 0 || added === toAdd ? 0 : shareOf(deployment, set, toAdd - added);
    sizes.set(set, sizeOf(set) + share);
    added += share;
  }
  const [largest] = sorted;
  if (largest !== undefined) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + toAdd - added));
  return sizes;
}

/** What a set gains or loses, within what is left to give or take. */
function shareOf(deployment: Deployment, set: ReplicaSet, left: number): number {
  const fraction = fractionOf(deployment, set);
  return left > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
}

function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  const wanted = wantedOf(deployment);
  if (wanted === 0) return -sizeOf(set);
  const before = maxReplicasOf(set) || deployment.status?.replicas || 0;
  if (before === 0) return 0;
  return roundHalfAway((sizeOf(set) * (wanted + maxSurgeOf(deployment))) / before) - sizeOf(set);
}

const roundHalfAway = (value: number): number => (value < 0 ? Math.ceil(value - 0.5) : Math.floor(value + 0.5));
