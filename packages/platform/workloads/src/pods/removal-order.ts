import type { Pod } from "@trivium/kube";
import { byName } from "./claim.ts";
import { isReady, readySince } from "./pod-state.ts";

const phases: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

/** How many active pods of the same owner's sets are on each node. */
export type PodsOnNode = Readonly<Record<string, number>>;

/**
 * Who goes first when there are too many: pods without a node, that have not started, are not ready, are said to be cheap, share their
 * node with others, became ready last, restarted most, were made last. Names decide between equals.
 */
export function byRemoval(onNode: PodsOnNode): (a: Pod, b: Pod) => number {
  const crowd = (pod: Pod) => onNode[pod.spec.nodeName ?? ""] ?? 0;
  return (a, b) =>
    Number(!!a.spec.nodeName) - Number(!!b.spec.nodeName) ||
    phaseOf(a) - phaseOf(b) ||
    Number(isReady(a)) - Number(isReady(b)) ||
    costOf(a) - costOf(b) ||
    crowd(b) - crowd(a) ||
    (readySince(b) ?? 0) - (readySince(a) ?? 0) ||
    restartsOf(b) - restartsOf(a) ||
    ageOf(b).localeCompare(ageOf(a)) ||
    byName(a, b);
}

const phaseOf = ({ status }: Pod): number => phases[status?.phase ?? "Pending"] ?? 0;
const ageOf = ({ metadata }: Pod): string => metadata.creationTimestamp ?? "";

function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[deletionCost] ?? "";
  return /^(0|[1-9]\d*|-[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

function restartsOf({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount ?? 0));
}
