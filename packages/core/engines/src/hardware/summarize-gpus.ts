import type { Node } from "@trivium/kube";
import { countOf, type GpuNode, parseGpuNode } from "./gpu-node.ts";

/** Cards of one model that the cluster has, and the labels by which their nodes are found. */
export interface ObservedGpu {
  readonly model: string;
  readonly vramBytes?: number;
  /** Cards that the best node offers, by resource; empty where nodes have labels and no device plugin. */
  readonly most: Readonly<Record<string, number>>;
  /** `key=value`, or `key` alone where having it is enough. */
  readonly labels: readonly string[];
}

/** All models that nodes report, by name. A node that is being deleted offers none. */
export function summarizeGpus(nodes: readonly Node[]): ObservedGpu[] {
  const byModel = new Map<string, ObservedGpu>();
  for (const node of nodes.filter(isStaying)) {
    const found = parseGpuNode(node);
    if (found?.model === undefined) continue;
    byModel.set(found.model, together(byModel.get(found.model), found, found.model));
  }
  return [...byModel.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

const isStaying = ({ metadata }: Node): boolean => metadata.deletionTimestamp === undefined;

function together(before: ObservedGpu | undefined, node: GpuNode, model: string): ObservedGpu {
  const vramBytes = Math.max(before?.vramBytes ?? 0, node.gpuBytes ?? 0);
  const most = { ...before?.most };
  for (const [resource, count] of Object.entries(node.resources))
    if (/gpu|mig-/.test(resource) && count > (most[resource] ?? 0)) most[resource] = count;
  const labels = [...(before?.labels ?? []), ...(node.label === undefined ? [] : [node.label])];
  return { model, ...(vramBytes > 0 ? { vramBytes } : {}), most, labels: [...new Set(labels)].sort() };
}

/** How many of a resource the best node has, used or not. */
export function maxOffered(nodes: readonly Node[], resource: string): number {
  return Math.max(0, ...nodes.filter(isStaying).map(({ status }) => countOf(status?.allocatable?.[resource] ?? 0)));
}
