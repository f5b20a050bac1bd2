/** Why no node can have a pod, in the words of kube-scheduler: clients and people look for these sentences. */

/** So many nodes for each reason. */
export function describeNodes(all: number, reasons: ReadonlyMap<string, number>): string {
  const counted = [...reasons].map(([reason, nodes]) => `${nodes} ${reason}`).sort();
  return `0/${all} nodes are available:${counted.length === 0 ? "" : ` ${counted.join(", ")}.`}`;
}

/** For all nodes alike. The last two words are what kube-scheduler says of a pod whose claims were not looked at any more. */
export const describeAll = (all: number, why: string): string => `0/${all} nodes are available: ${why}. not found`;

export const noNodes = "no nodes available to schedule pods";

/** What follows when making room was tried in vain; dynamic resources are asked first and have nothing to give. */
export const inVain = (why: string): string => `no new claims to deallocate, preemption: ${why}`;

export function tally(lists: Iterable<readonly string[]>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const reasons of lists) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}
