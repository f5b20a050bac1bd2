import type { Node } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";

/** Memory of the GPUs of a node, as its labels say. */
export interface NodeMemory {
  readonly name: string;
  /** How many of each extended resource it has. */
  readonly resources: Readonly<Record<string, number>>;
  /** Bytes of one GPU. */
  readonly gpuBytes: number;
}

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

export function nodeMemoryOf({ metadata, status }: Node): NodeMemory | undefined {
  const labels = metadata.labels ?? {};
  const gpuBytes = gpuBytesOf(labels);
  if (gpuBytes === undefined) return undefined;
  const resources = Object.entries(status?.capacity ?? {})
    .filter(([name]) => name.includes("/"))
    .map(([name, amount]) => [name, numberOf(amount)] as const)
    .filter(([, amount]) => amount > 0);
  return { name: metadata.name ?? "", resources: Object.fromEntries(resources), gpuBytes };
}

/** NVIDIA writes megabytes, AMD a number with its unit. */
function gpuBytesOf(labels: Readonly<Record<string, string>>): number | undefined {
  const nvidia = Number(labels["nvidia.com/gpu.memory"]);
  if (nvidia > 0) return nvidia * MiB;
  const amd = /^(\d+)G(?:i?B?)?$/.exec(labels["amd.com/gpu.vram"] ?? labels["beta.amd.com/gpu.vram"] ?? "");
  return amd === null ? undefined : Number(amd[1]) * GiB;
}

function numberOf(amount: string | number): number {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}
