import type { NodeInfo } from "../snapshot/node-info.ts";
import type { PodInfo } from "../snapshot/pod-info.ts";
import type { Snapshot } from "../snapshot/snapshot.ts";
import { matchesPodTerm, type PodTerm } from "./pod-terms.ts";

/** How many pods a term meets in each place, by `topologyKey value`. */
type Counts = Map<string, number>;

/** Which places a guest's terms, and the terms of those already there, speak for or against. */
export interface AffinityCounts {
  readonly near: ReadonlyMap<string, number>;
  readonly apart: ReadonlyMap<string, number>;
  /** Places where somebody wants to be apart from the guest. */
  readonly unwanted: ReadonlyMap<string, number>;
}

const placeOf = (key: string, value: string): string => `${key} ${value}`;

function count(counts: Counts, { topologyKey }: PodTerm, nodeInfo: NodeInfo): void {
  const value = nodeInfo.labels[topologyKey];
  if (value === undefined) return;
  const place = placeOf(topologyKey, value);
  counts.set(place, (counts.get(place) ?? 0) + 1);
}

export function countAffinity(podInfo: PodInfo, { nodeInfos, namespaces }: Snapshot): AffinityCounts {
  const [near, apart, unwanted]: Counts[] = [new Map(), new Map(), new Map()] as [Counts, Counts, Counts];
  const { terms, pod } = podInfo;
  for (const nodeInfo of nodeInfos) {
    for (const other of nodeInfo.podInfos.values()) {
      for (const term of other.terms.apart) if (matchesPodTerm(term, pod, namespaces)) count(unwanted, term, nodeInfo);
      // A pod counts as company only when every term means it.
      if (terms.near.length > 0 && terms.near.every((term) => matchesPodTerm(term, other.pod, namespaces))) {
        for (const term of terms.near) count(near, term, nodeInfo);
      }
      for (const term of terms.apart) if (matchesPodTerm(term, other.pod, namespaces)) count(apart, term, nodeInfo);
    }
  }
  return { near, apart, unwanted };
}

export function hasCompany(
  podInfo: PodInfo,
  nodeInfo: NodeInfo,
  { near }: AffinityCounts,
  snapshot: Snapshot,
): boolean {
  const { terms, pod } = podInfo;
  if (!terms.near.every(({ topologyKey }) => nodeInfo.labels[topologyKey] !== undefined)) return false;
  if (terms.near.every(({ topologyKey }) => near.has(placeOf(topologyKey, nodeInfo.labels[topologyKey] as string))))
    return true;
  // The first of its kind would wait for ever for company that only it can be.
  return near.size === 0 && terms.near.every((term) => matchesPodTerm(term, pod, snapshot.namespaces));
}

export function meetsAny(counts: ReadonlyMap<string, number>, nodeInfo: NodeInfo): boolean {
  for (const place of counts.keys()) {
    const split = place.indexOf(" ");
    if (nodeInfo.labels[place.slice(0, split)] === place.slice(split + 1)) return true;
  }
  return false;
}

/** Adds up the wishes of the guest and of everybody there, for each place. */
export function weighAffinity(podInfo: PodInfo, { nodeInfos, namespaces }: Snapshot): ReadonlyMap<string, number> {
  const weights: Counts = new Map();
  const add = ({ topologyKey }: PodTerm, nodeInfo: NodeInfo, weight: number) => {
    const value = nodeInfo.labels[topologyKey];
    if (value === undefined) return;
    const place = placeOf(topologyKey, value);
    weights.set(place, (weights.get(place) ?? 0) + weight);
  };
  for (const nodeInfo of nodeInfos) {
    for (const other of nodeInfo.podInfos.values()) {
      for (const { term, weight } of podInfo.terms.preferred) {
        if (matchesPodTerm(term, other.pod, namespaces)) add(term, nodeInfo, weight);
      }
      for (const term of other.terms.near) if (matchesPodTerm(term, podInfo.pod, namespaces)) add(term, nodeInfo, 1);
      for (const { term, weight } of other.terms.preferred) {
        if (matchesPodTerm(term, podInfo.pod, namespaces)) add(term, nodeInfo, weight);
      }
    }
  }
  return weights;
}

export function weightAt(weights: ReadonlyMap<string, number>, nodeInfo: NodeInfo): number {
  let sum = 0;
  for (const [place, weight] of weights) {
    const split = place.indexOf(" ");
    if (nodeInfo.labels[place.slice(0, split)] === place.slice(split + 1)) sum += weight;
  }
  return sum;
}
