import type { Pod, StatefulSet } from "@trivium/kube";
import type { Instant } from "@trivium/std";
import { isAvailable, isFinished, isRunningAndReady, isTerminating } from "../pods/pod-state.ts";
import { isInRange, ordinalOf, revisionOf, startOf, wantedOf } from "./identity.ts";

/** What is known of the claims of a pod. */
export interface ClaimState {
  /** A new pod has to wait: a claim is on its way out. */
  isBlocked(ordinal: number): boolean;
  /** The owners of the pod's claims are what the retention policy says. */
  isInOrder(pod: Pod, ordinal: number): boolean;
}

/** What one pass does with the pods. */
export interface PodPlan {
  /** Numbers to be made. */
  readonly make: readonly number[];
  readonly remove: readonly Pod[];
}

interface Slot {
  readonly ordinal: number;
  readonly pod: Pod | undefined;
}

/**
 * In order, the next pod is made when all before it are available, and the last is removed when all others are; in parallel nobody
 * waits. Pods of an old revision are replaced one at a time from the highest number down, once everything else is in order.
 */
export function planPods(
  set: StatefulSet,
  pods: readonly Pod[],
  claims: ClaimState,
  world: { now: Instant; latest: string },
): PodPlan {
  const isOrdered = set.spec.podManagementPolicy !== "Parallel";
  const minReady = set.spec.minReadySeconds ?? 0;
  const isWell = (pod: Pod) => isAvailable(pod, minReady, world.now) && !isTerminating(pod);
  const slots = slotsOf(set, pods);
  const condemned = condemnedOf(set, pods);
  const plan: { make: number[]; remove: Pod[] } = { make: [], remove: [] };
  for (const slot of slots) {
    const step = stepOf(slot, claims, isWell);
    if (step === "make") plan.make.push(slot.ordinal);
    if (step === "remove") plan.remove.push(slot.pod as Pod);
    if (step !== "go on" && isOrdered) return plan;
  }
  const firstUnwell = [...slots.flatMap(({ pod }) => pod ?? []), ...condemned.toReversed()].find((pod) => !isWell(pod));
  for (const pod of condemned) {
    const ordinal = ordinalOf(set, pod) ?? 0;
    const canGo =
      !isTerminating(pod) && claims.isInOrder(pod, ordinal) && (!isOrdered || isWell(pod) || pod === firstUnwell);
    if (canGo) plan.remove.push(pod);
    if (isOrdered) return plan;
  }
  if (plan.make.length > 0 || set.spec.updateStrategy?.type === "OnDelete") return plan;
  const outdated = nextOutdated(set, slots, world.latest, isWell);
  return outdated === undefined ? plan : { make: [], remove: [...plan.remove, outdated] };
}

type Step = "make" | "remove" | "wait" | "go on";

function stepOf({ ordinal, pod }: Slot, claims: ClaimState, isWell: (pod: Pod) => boolean): Step {
  if (pod === undefined) return claims.isBlocked(ordinal) ? "wait" : "make";
  if (isFinished(pod)) return isTerminating(pod) ? "wait" : "remove";
  return isRunningAndReady(pod) && isWell(pod) ? "go on" : "wait";
}

function slotsOf(set: StatefulSet, pods: readonly Pod[]): Slot[] {
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(set, pod), pod]));
  const start = startOf(set);
  return Array.from({ length: wantedOf(set) }, (_, i) => ({ ordinal: start + i, pod: byOrdinal.get(start + i) }));
}

/** Pods whose number is not wanted, the highest first. */
function condemnedOf(set: StatefulSet, pods: readonly Pod[]): Pod[] {
  const number = (pod: Pod) => ordinalOf(set, pod) ?? -1;
  return pods.filter((pod) => !isInRange(set, number(pod))).sort((a, b) => number(b) - number(a));
}

function nextOutdated(
  set: StatefulSet,
  slots: readonly Slot[],
  latest: string,
  isWell: (pod: Pod) => boolean,
): Pod | undefined {
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (const { pod } of slots.slice(partition).reverse()) {
    if (pod === undefined) return undefined;
    if (revisionOf(pod) !== latest && !isTerminating(pod)) return pod;
    if (!isWell(pod)) return undefined;
  }
  return undefined;
}
