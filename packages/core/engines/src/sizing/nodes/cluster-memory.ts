import type { Diagnosis } from "@trivium/domain";
import type { Node } from "@trivium/kube";
import { countOf, parseGpuNode } from "../../hardware/gpu-node.ts";
import { formatMemory } from "../summarize-memory.ts";
import { largestNodeMemory } from "./node-memory.ts";

/** The most memory that a model can get: that of the largest node, or of all GPUs together, which several nodes can share. */
export interface ClusterMemory {
  readonly nodeBytes: number;
  readonly gpuBytes: number;
}

/** Nothing where a node reports no memory, or GPUs whose memory is unknown. */
export function summarizeClusterMemory(nodes: readonly Node[]): ClusterMemory | undefined {
  const nodeBytes = largestNodeMemory(nodes);
  const gpus = nodes.map(gpuBytesOf);
  if (nodeBytes === undefined || gpus.includes(undefined)) return undefined;
  return { nodeBytes, gpuBytes: gpus.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0) };
}

function gpuBytesOf(node: Node): number | undefined {
  const resources = Object.entries(node.status?.allocatable ?? {});
  const count = resources.filter(([name]) => /\/gpu$|\/mig-/.test(name)).reduce((sum, [, n]) => sum + countOf(n), 0);
  if (count === 0) return 0;
  const bytes = parseGpuNode(node)?.gpuBytes;
  return bytes === undefined ? undefined : bytes * count;
}

export interface ModelMemoryInput {
  /** What is too large, with its kind: `ClusterBaseModel llama`. */
  readonly subject: string;
  readonly weightBytes: number;
  /** A smaller quantization of the same model would not help. */
  readonly isLowerBound: boolean;
  readonly memory: ClusterMemory;
  /** What the user sets to have it downloaded anyway. */
  readonly override?: string | undefined;
}

/** Why no node can load the weights, and what to do; nothing where one can. */
export function findModelMisfit({
  subject,
  weightBytes,
  isLowerBound,
  memory,
  override,
}: ModelMemoryInput): Diagnosis | undefined {
  const { nodeBytes, gpuBytes } = memory;
  if (weightBytes <= Math.max(nodeBytes, gpuBytes)) return undefined;
  const gpus = gpuBytes === 0 ? "" : `, and all GPUs together have ${formatMemory(gpuBytes)}`;
  return {
    subject,
    cause: `No node can load the weights: ${subject} needs ${formatMemory(weightBytes)}, the largest node has ${formatMemory(nodeBytes)} of memory${gpus}`,
    remedy: remedyFor(isLowerBound ? "a smaller model" : "a smaller quantization", override),
  };
}

const remedyFor = (smaller: string, override: string | undefined): string =>
  override === undefined
    ? `use ${smaller}, or add nodes with more memory`
    : `use ${smaller}, add nodes with more memory, or set ${override} to download it anyway`;
