import type { Shortage } from "@trivium/domain";
import { amountOf, type Node, type Pod, requestsOf } from "@trivium/kube";

/** How much a pod requests of each resource that the scheduler found too little of, and the most that one node offers. */
export function findShortages(pod: Pod, lacking: readonly string[], nodes: readonly Node[]): Shortage[] {
  const requests = requestsOf(pod);
  return lacking.map((resource) => ({
    resource,
    requested: requests.get(resource) ?? 0,
    offered: Math.max(0, ...nodes.map(({ status }) => amountOf(resource, status?.allocatable?.[resource] ?? 0))),
  }));
}
