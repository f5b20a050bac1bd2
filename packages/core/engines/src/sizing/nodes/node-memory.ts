import type { MemoryPool } from "@trivium/domain";
import type { api, Node } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { formatMemory } from "../summarize-memory.ts";

/** Allocatable memory of the largest node that takes pods, in bytes; nothing where no node reports it. */
export function largestNodeMemory(nodes: readonly Node[]): number | undefined {
  const sizes = nodes.flatMap(({ spec, status }) => {
    const memory = spec?.unschedulable === true ? undefined : parseQuantity(status?.allocatable?.memory ?? "");
    return memory === undefined ? [] : [quantityToNumber(memory)];
  });
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

/**
 * Whether a container loads weights into the memory of its node, and the scheduler cannot compare: it requests no device and states no memory.
 * A stated amount is a decision of the user: less than the weights means that they are paged from the disk.
 */
export function hasOpenHostMemory({ requests = {}, limits = {}, claims = [] }: api.ResourceRequirements = {}): boolean {
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  return claims.length === 0 && !names.some((name) => name === "memory" || name.includes("/"));
}

/**
 * The memory of a node that a container gets: up to its limit, else all of it, and what it requests. Nothing for a container that requests
 * a device.
 */
export function hostMemoryOf(resources: api.ResourceRequirements = {}, nodeBytes: number): MemoryPool | undefined {
  const { requests = {}, limits = {}, claims = [] } = resources;
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  if (claims.length > 0 || names.some((name) => name.includes("/"))) return undefined;
  const [limit, request] = [bytesOf(limits.memory), bytesOf(requests.memory ?? limits.memory)];
  return {
    name: limit === undefined ? "the largest node" : "the memory limit",
    bytes: limit ?? nodeBytes,
    ...(request === undefined ? {} : { request: { bytes: request, offered: nodeBytes } }),
  };
}

function bytesOf(amount: string | number | undefined): number | undefined {
  const quantity = amount === undefined ? undefined : parseQuantity(amount);
  return quantity === undefined ? undefined : quantityToNumber(quantity);
}

export interface HostFitInput {
  /** Bytes of the weights alone; nothing where no file or field says. */
  readonly weightBytes: number | undefined;
  /** Memory of the largest node. */
  readonly nodeBytes: number | undefined;
}

/** Whether the weights alone exceed the memory of every node. What is unknown exceeds nothing. */
export const exceedsNodes = ({ weightBytes, nodeBytes }: HostFitInput): boolean =>
  weightBytes !== undefined && nodeBytes !== undefined && weightBytes > nodeBytes;

export interface HostMisfitInput extends HostFitInput {
  /** What the weights are of, with its kind: `Model tiny`. */
  readonly of: string;
  /** Where memory can be stated: `spec.resources.requests.memory`. */
  readonly field: string;
}

/** Why weights that exceed every node cannot be served without a GPU, and what to do; nothing where they fit or too little is known. */
export function describeHostMisfit({ of, field, ...fit }: HostMisfitInput): string | undefined {
  if (!exceedsNodes(fit)) return undefined;
  const [weights, node] = [formatMemory(fit.weightBytes ?? 0), formatMemory(fit.nodeBytes ?? 0)];
  return `No node has enough memory for the weights: ${of} needs ${weights}, and the largest node has ${node}; use a smaller quantization, add a node with more memory, or set ${field} if only a part is loaded`;
}
