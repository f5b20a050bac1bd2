import type { Pod } from "@trivium/kube";
import { Attempt } from "./attempt.ts";
import { type FilterFailure, filterFailureOf, preFilterResultOf } from "./filters/filters.ts";
import { describeAll, describeNodes, inVain, noNodes, tally } from "./filters/fit-message.ts";
import { chooseVolumes, selectedNode, type VolumeChoice } from "./filters/volumes.ts";
import { type Preemption, planPreemption } from "./preemption.ts";
import { bestNodeInfo } from "./scores.ts";
import type { NodeInfo } from "./snapshot/node-info.ts";
import { compareText, isOver, type PodInfo, podInfoOf } from "./snapshot/pod-info.ts";
import { type ObservedSnapshot, Snapshot } from "./snapshot/snapshot.ts";

/** What is decided about one waiting pod. */
export type Placement =
  | { readonly is: "bound"; readonly pod: Pod; readonly node: string }
  /** The place is taken, but its claims must get their volumes there first. */
  | { readonly is: "reserved"; readonly pod: Pod; readonly node: string; readonly choices: readonly VolumeChoice[] }
  | { readonly is: "unschedulable"; readonly pod: Pod; readonly message: string }
  /** Others leave a node for it. */
  | {
      readonly is: "nominated";
      readonly pod: Pod;
      readonly message: string;
      readonly node: string;
      readonly victims: readonly Pod[];
      /** Lesser pods that had been promised the place. */
      readonly withdrawn: readonly Pod[];
    }
  /** Nothing new: victims are still on their way out. */
  | { readonly is: "waiting"; readonly pod: Pod; readonly node: string };

/**
 * Decides for all waiting pods, one after the other, the most important first. Each sees what those before it have taken, so no
 * room is given twice.
 */
export function placePods(observed: ObservedSnapshot, schedulerName: string): readonly Placement[] {
  const waiting = observed.pods.filter((pod) => isWaiting(pod, schedulerName)).map(podInfoOf);
  if (waiting.length === 0) return [];
  const snapshot = new Snapshot(observed);
  return waiting
    .sort((a, b) => reservedFirst(a, b, snapshot) || byTurn(a, b))
    .map((podInfo) => placePod(podInfo, snapshot));
}

function isWaiting({ metadata, spec, status }: Pod, schedulerName: string): boolean {
  if (spec?.nodeName || metadata.deletionTimestamp !== undefined || isOver(status?.phase)) return false;
  return (spec?.schedulerName ?? "default-scheduler") === schedulerName && (spec?.schedulingGates ?? []).length === 0;
}

/** Whose claims are being served on a node keeps its place there. */
function reservedFirst(a: PodInfo, b: PodInfo, snapshot: Snapshot): number {
  return Number(hasReservation(b, snapshot)) - Number(hasReservation(a, snapshot));
}

function hasReservation({ claims, pod }: PodInfo, snapshot: Snapshot): boolean {
  return claims.some((name) => {
    const claim = snapshot.claims.get(`${pod.metadata.namespace}/${name}`);
    return !claim?.spec?.volumeName && claim?.metadata.annotations?.[selectedNode] !== undefined;
  });
}

function byTurn(a: PodInfo, b: PodInfo): number {
  const [left, right] = [a.pod.metadata.creationTimestamp ?? "", b.pod.metadata.creationTimestamp ?? ""];
  return b.priority - a.priority || compareText(left, right) || compareText(a.key, b.key);
}

function placePod(podInfo: PodInfo, snapshot: Snapshot): Placement {
  const { pod } = podInfo;
  if (snapshot.nodeInfos.length === 0) return { is: "unschedulable", pod, message: noNodes };
  const attempt = new Attempt(podInfo, snapshot);
  const preFilterResult = preFilterResultOf(attempt);
  if (preFilterResult.is === "hopeless") {
    snapshot.withdraw(podInfo);
    return { is: "unschedulable", pod, message: describeAll(snapshot.nodeInfos.length, preFilterResult.why) };
  }
  const { fitting, filterFailures } = lookEverywhere(attempt, preFilterResult.only);
  const nodeInfo = bestNodeInfo(attempt, fitting);
  if (nodeInfo !== undefined) return settle(attempt, nodeInfo);
  const reasons = tally([...filterFailures.values()].map((filterFailure) => filterFailure.reasons));
  return withoutPlace(attempt, filterFailures, describeNodes(snapshot.nodeInfos.length, reasons));
}

const notNamed: FilterFailure = { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], couldPreempt: false };

function lookEverywhere(
  attempt: Attempt,
  only: ReadonlySet<string> | undefined,
): { fitting: NodeInfo[]; filterFailures: Map<NodeInfo, FilterFailure> } {
  const filterFailures = new Map<NodeInfo, FilterFailure>();
  const promised = attempt.snapshot.byName.get(attempt.podInfo.pod.status?.nominatedNodeName ?? "");
  if (promised !== undefined && filterFailureOf(attempt, promised) === undefined)
    return { fitting: [promised], filterFailures };
  const fitting: NodeInfo[] = [];
  for (const nodeInfo of attempt.snapshot.nodeInfos) {
    const filterFailure = only === undefined || only.has(nodeInfo.name) ? filterFailureOf(attempt, nodeInfo) : notNamed;
    if (filterFailure === undefined) fitting.push(nodeInfo);
    else filterFailures.set(nodeInfo, filterFailure);
  }
  return { fitting, filterFailures };
}

function settle({ podInfo, snapshot, volumes }: Attempt, nodeInfo: NodeInfo): Placement {
  const { pod } = podInfo;
  const answer = chooseVolumes(volumes, nodeInfo, snapshot);
  const choices = answer.is === "fits" ? answer.choices : [];
  nodeInfo.add(podInfo);
  snapshot.withdraw(podInfo);
  for (const { volume } of choices) if (volume !== undefined) snapshot.promised.add(volume.metadata.name ?? "");
  return choices.length === 0
    ? { is: "bound", pod, node: nodeInfo.name }
    : { is: "reserved", pod, node: nodeInfo.name, choices };
}

function withoutPlace(
  { podInfo, snapshot }: Attempt,
  filterFailures: ReadonlyMap<NodeInfo, FilterFailure>,
  why: string,
): Placement {
  const { pod } = podInfo;
  const preemption: Preemption = planPreemption(podInfo, snapshot, filterFailures);
  switch (preemption.is) {
    case "under way":
      return { is: "waiting", pod, node: preemption.nodeInfo.name };
    case "refused":
      snapshot.withdraw(podInfo);
      return { is: "unschedulable", pod, message: `${why} ${inVain(preemption.why)}` };
    case "possible":
      return makeSpace(podInfo, snapshot, preemption, why);
  }
}

/** The victims still take their room until they are gone; the place behind them is spoken for. */
function makeSpace(
  podInfo: PodInfo,
  snapshot: Snapshot,
  { nodeInfo, victims }: Preemption & { is: "possible" },
  why: string,
): Placement {
  const before = [...(snapshot.nominated.get(nodeInfo.name)?.values() ?? [])].filter(
    (other) => other.priority < podInfo.priority,
  );
  for (const other of before) snapshot.withdraw(other);
  snapshot.withdraw(podInfo);
  snapshot.nominate(podInfo, nodeInfo.name);
  return {
    is: "nominated",
    pod: podInfo.pod,
    message: why,
    node: nodeInfo.name,
    victims: victims.map(({ pod }) => pod),
    withdrawn: before.map(({ pod }) => pod),
  };
}
