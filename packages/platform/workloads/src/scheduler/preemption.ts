import { findCondition, matchesLabels, type PodDisruptionBudget, selectorOf } from "@trivium/kube";
import { Attempt } from "./attempt.ts";
import { type FilterFailure, filterFailureOf } from "./filters/filters.ts";
import { describeNodes, tally } from "./filters/fit-message.ts";
import type { NodeInfo } from "./snapshot/node-info.ts";
import { byImportance, type PodInfo } from "./snapshot/pod-info.ts";
import type { Snapshot } from "./snapshot/snapshot.ts";

/** Who would have to leave a node for a guest. */
interface Sacrifice {
  readonly nodeInfo: NodeInfo;
  /** The most important first. */
  readonly victims: readonly PodInfo[];
  /** How many of them a budget protects. */
  readonly violations: number;
}

export type Preemption =
  | { readonly is: "possible"; readonly nodeInfo: NodeInfo; readonly victims: readonly PodInfo[] }
  | { readonly is: "refused"; readonly why: string }
  /** Room is being made already. */
  | { readonly is: "under way"; readonly nodeInfo: NodeInfo };

const notHelpful = "Preemption is not helpful for scheduling";
const noVictims = "No preemption victims found for incoming pod";

export function planPreemption(
  podInfo: PodInfo,
  snapshot: Snapshot,
  filterFailures: ReadonlyMap<NodeInfo, FilterFailure>,
): Preemption {
  if (podInfo.pod.spec?.preemptionPolicy === "Never") {
    return { is: "refused", why: "not eligible due to preemptionPolicy=Never." };
  }
  const leaving = nodeInfoBeingLeft(podInfo, snapshot, filterFailures);
  if (leaving !== undefined) return { is: "under way", nodeInfo: leaving };
  const candidates: Sacrifice[] = [];
  const reasons = new Map<NodeInfo, readonly string[]>();
  for (const [nodeInfo, filterFailure] of filterFailures) {
    if (!filterFailure.couldPreempt) continue;
    const found = victimsOn(podInfo, nodeInfo, snapshot);
    if ("victims" in found) candidates.push(found);
    else reasons.set(nodeInfo, found.reasons);
  }
  const best = cheapest(candidates);
  if (best !== undefined) return { is: "possible", nodeInfo: best.nodeInfo, victims: best.victims };
  const others = snapshot.nodeInfos.filter((nodeInfo) => !reasons.has(nodeInfo)).map(() => [notHelpful]);
  return { is: "refused", why: describeNodes(snapshot.nodeInfos.length, tally([...reasons.values(), ...others])) };
}

/** The node that was named for the guest, while those who make room there are still on their way out. */
function nodeInfoBeingLeft(
  podInfo: PodInfo,
  snapshot: Snapshot,
  filterFailures: ReadonlyMap<NodeInfo, FilterFailure>,
): NodeInfo | undefined {
  const nodeInfo = snapshot.byName.get(podInfo.pod.status?.nominatedNodeName ?? "");
  if (nodeInfo === undefined || filterFailures.get(nodeInfo)?.couldPreempt === false) return undefined;
  const isLeaving = nodeInfo.podInfos.values().some((other) => other.priority < podInfo.priority && isPreempted(other));
  return isLeaving ? nodeInfo : undefined;
}

function isPreempted({ pod }: PodInfo): boolean {
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const target = findCondition(pod.status?.conditions, "DisruptionTarget");
  return target?.status === "True" && target.reason === "PreemptionByScheduler";
}

/** All lesser pods leave, then as many as possible come back: those that a budget protects first, then the most important. */
function victimsOn(podInfo: PodInfo, nodeInfo: NodeInfo, snapshot: Snapshot): Sacrifice | FilterFailure {
  const lesser = [...nodeInfo.podInfos.values()]
    .filter(({ priority }) => priority < podInfo.priority)
    .sort(byImportance);
  if (lesser.length === 0) return { reasons: [noVictims], couldPreempt: false };
  for (const other of lesser) nodeInfo.remove(other);
  try {
    const filterFailure = filterFailureOf(new Attempt(podInfo, snapshot), nodeInfo);
    if (filterFailure !== undefined) return filterFailure;
    const protectedOnes = protectedBy(snapshot.budgets, lesser);
    const order = [
      ...lesser.filter((other) => protectedOnes.has(other)),
      ...lesser.filter((other) => !protectedOnes.has(other)),
    ];
    const victims = order.filter((other) => !canStay(other, podInfo, nodeInfo, snapshot));
    return {
      nodeInfo,
      victims: victims.sort(byImportance),
      violations: victims.filter((other) => protectedOnes.has(other)).length,
    };
  } finally {
    for (const other of lesser) nodeInfo.add(other);
  }
}

function canStay(other: PodInfo, podInfo: PodInfo, nodeInfo: NodeInfo, snapshot: Snapshot): boolean {
  nodeInfo.add(other);
  if (filterFailureOf(new Attempt(podInfo, snapshot), nodeInfo) === undefined) return true;
  nodeInfo.remove(other);
  return false;
}

/** Those whose leaving would be one disruption too many for a budget, the most important spared last. */
function protectedBy(budgets: readonly PodDisruptionBudget[], podInfos: readonly PodInfo[]): ReadonlySet<PodInfo> {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const protectedOnes = new Set<PodInfo>();
  for (const podInfo of podInfos) {
    for (const budget of budgets) {
      if (!isUnder(budget, podInfo)) continue;
      const left = (allowed.get(budget) ?? 0) - 1;
      allowed.set(budget, left);
      if (left < 0) protectedOnes.add(podInfo);
    }
  }
  return protectedOnes;
}

function isUnder(budget: PodDisruptionBudget, { pod }: PodInfo): boolean {
  const { labels, name = "", namespace } = pod.metadata;
  if (budget.metadata.namespace !== namespace || labels === undefined) return false;
  const selector = selectorOf(budget.spec?.selector);
  if (selector.requirements.length === 0 || !matchesLabels(selector, labels)) return false;
  return !Object.hasOwn(budget.status?.disruptedPods ?? {}, name);
}

/** Fewest broken budgets, then the least important loss, the smallest sum, the fewest pods, the latest start. */
function cheapest(candidates: readonly Sacrifice[]): Sacrifice | undefined {
  const costs = (each: Sacrifice): (number | string)[] => [
    each.violations,
    each.victims[0]?.priority ?? 0,
    each.victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
    each.victims.length,
  ];
  return candidates.toSorted((a, b) => {
    const [left, right] = [costs(a), costs(b)];
    const i = left.findIndex((cost, at) => cost !== right[at]);
    if (i >= 0) return (left[i] as number) < (right[i] as number) ? -1 : 1;
    return earliestStart(a) > earliestStart(b) ? -1 : earliestStart(a) < earliestStart(b) ? 1 : 0;
  })[0];
}

/** When the first of the most important victims started: what ran longest is the greatest loss. */
function earliestStart({ victims }: Sacrifice): string {
  const top = victims[0]?.priority;
  const starts = victims.filter(({ priority }) => priority === top).map(({ pod }) => pod.status?.startTime ?? "9999");
  return starts.sort()[0] ?? "9999";
}
