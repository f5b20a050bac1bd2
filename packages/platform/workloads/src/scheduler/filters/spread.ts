import {
  controllerOf,
  type LabelSelector,
  matchesLabels,
  type Pod,
  selectorOf,
  type TopologySpreadConstraint,
} from "@trivium/kube";
import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { allowsNode } from "./node-terms.ts";
import { withLabelsOf } from "./pod-terms.ts";
import { untoleratedTaint } from "./taints.ts";

/** One wish to spread, and how many pods it counts in each domain. */
export interface Spread {
  readonly key: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly countsItself: boolean;
  readonly domains: ReadonlyMap<string, number>;
  counts(pod: Pod): boolean;
}

export type Strictness = TopologySpreadConstraint["whenUnsatisfiable"];

export function spreadsOf(podInfo: PodInfo, snapshot: Snapshot, strictness: Strictness): readonly Spread[] {
  const constraints = (podInfo.pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === strictness,
  );
  const keys = constraints.map(({ topologyKey }) => topologyKey);
  return constraints.map((constraint) => {
    const selector = withLabelsOf(podInfo.pod, selectorOf(constraint.labelSelector), constraint);
    const counts = (pod: Pod) => isCounted(pod, podInfo.pod, selector);
    const nodeInfos = snapshot.nodeInfos.filter(
      (nodeInfo) =>
        keys.every((key) => nodeInfo.labels[key] !== undefined) && isIncluded(constraint, podInfo.pod, nodeInfo),
    );
    return {
      key: constraint.topologyKey,
      maxSkew: constraint.maxSkew,
      minDomains: constraint.minDomains ?? 1,
      countsItself: matchesLabels(selector, podInfo.pod.metadata.labels),
      domains: countDomains(nodeInfos, constraint.topologyKey, counts),
      counts,
    };
  });
}

/** Pods of one controller spread over nodes and zones even when nobody asked for it. */
export function defaultSpreadsOf({ pod }: PodInfo, { nodeInfos }: Snapshot): readonly Spread[] {
  const controller = controllerOf(pod)?.uid;
  if (controller === undefined) return [];
  const counts = (other: Pod) =>
    other.metadata.deletionTimestamp === undefined && controllerOf(other)?.uid === controller;
  const requests = [
    { key: "kubernetes.io/hostname", maxSkew: 3 },
    { key: "topology.kubernetes.io/zone", maxSkew: 5 },
  ];
  return requests.map(({ key, maxSkew }) => ({
    key,
    maxSkew,
    minDomains: 1,
    countsItself: true,
    domains: countDomains(nodeInfos, key, counts),
    counts,
  }));
}

function isCounted(pod: Pod, podInfo: Pod, selector: LabelSelector): boolean {
  if (selector.requirements.length === 0 || pod.metadata.deletionTimestamp !== undefined) return false;
  return pod.metadata.namespace === podInfo.metadata.namespace && matchesLabels(selector, pod.metadata.labels);
}

function isIncluded(constraint: TopologySpreadConstraint, pod: Pod, { node }: NodeInfo): boolean {
  if (constraint.nodeAffinityPolicy !== "Ignore" && !allowsNode(pod, node)) return false;
  if (constraint.nodeTaintsPolicy !== "Honor") return true;
  return untoleratedTaint(node.spec?.taints, pod.spec?.tolerations) === undefined;
}

function countDomains(nodeInfos: readonly NodeInfo[], key: string, counts: (pod: Pod) => boolean): Map<string, number> {
  const domains = new Map<string, number>();
  for (const { labels, podInfos } of nodeInfos) {
    const value = labels[key];
    if (value === undefined) continue;
    let found = 0;
    for (const { pod } of podInfos.values()) if (counts(pod)) found += 1;
    domains.set(value, (domains.get(value) ?? 0) + found);
  }
  return domains;
}

/** Whether one more pod there would lean too far to one side. */
export function isTooMany({ domains, minDomains, maxSkew, countsItself }: Spread, domain: string): boolean {
  const least = domains.size < minDomains ? 0 : Math.min(...domains.values(), Number.MAX_SAFE_INTEGER);
  return (domains.get(domain) ?? 0) + (countsItself ? 1 : 0) - least > maxSkew;
}
