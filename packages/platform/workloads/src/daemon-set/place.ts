import type { DaemonSet, Node, Pod } from "@trivium/kube";
import { byAge } from "../pods/claim.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import { type Fit, fitOf, nodeOf } from "./node-fit.ts";

/** One node and the set's pods on it. */
export interface Place {
  readonly node: string;
  readonly fit: Fit;
  /** Those with a node first, then the oldest. Without what has ended and goes anyway. */
  readonly pods: readonly Pod[];
}

export interface Places {
  readonly places: readonly Place[];
  /** Pods that wait for a node that is no more. */
  readonly lost: readonly Pod[];
}

export function placesOf(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]): Places {
  const present = pods.filter((pod) => !(isFinished(pod) && isTerminating(pod)));
  const byNode = Map.groupBy(present, (pod) => nodeOf(pod) ?? "");
  const names = new Set(nodes.map(({ metadata }) => metadata.name ?? ""));
  const places = nodes
    .map((node) => {
      const name = node.metadata.name ?? "";
      return { node: name, fit: fitOf(set, node), pods: (byNode.get(name) ?? []).sort(boundFirst) };
    })
    .sort((a, b) => (a.node < b.node ? -1 : 1));
  const lost = present.filter((pod) => !pod.spec.nodeName && !names.has(nodeOf(pod) ?? "") && !isTerminating(pod));
  return { places, lost };
}

function boundFirst(a: Pod, b: Pod): number {
  return Number(!a.spec.nodeName) - Number(!b.spec.nodeName) || byAge(a, b);
}
