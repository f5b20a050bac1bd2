import type { Node } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";

/** What a node says of its GPUs. */
export interface GpuNode {
  readonly name: string;
  /** How many of each extended resource it has. */
  readonly resources: Readonly<Record<string, number>>;
  /** Bytes of one GPU, where labels tell. */
  readonly gpuBytes?: number | undefined;
  /** Versions of its driver and of CUDA, where labels tell. */
  readonly driver?: string | undefined;
}

const MiB = 1024 ** 2;
const GiB = 1024 ** 3;

/** Nothing for nodes whose labels say nothing of GPUs. */
export function gpuNodeOf({ metadata, status }: Node): GpuNode | undefined {
  const labels = metadata.labels ?? {};
  const gpuBytes = gpuBytesOf(labels);
  const driver = driverOf(labels);
  if (gpuBytes === undefined && driver === undefined) return undefined;
  const resources = Object.entries(status?.capacity ?? {})
    .filter(([name]) => name.includes("/"))
    .map(([name, amount]) => [name, numberOf(amount)] as const)
    .filter(([, amount]) => amount > 0);
  return {
    name: metadata.name ?? "",
    resources: Object.fromEntries(resources),
    ...(gpuBytes === undefined ? {} : { gpuBytes }),
    ...(driver === undefined ? {} : { driver }),
  };
}

/** Older and newer versions of GPU feature discovery name their labels differently. */
function driverOf(labels: Readonly<Record<string, string>>): string | undefined {
  const joined = (prefix: string): string | undefined => {
    const parts = ["major", "minor", "rev"].map((part) => labels[`${prefix}.${part}`]).filter(Boolean);
    return parts.length === 0 ? undefined : parts.join(".");
  };
  const driver = labels["nvidia.com/cuda.driver-version.full"] ?? joined("nvidia.com/cuda.driver");
  const cuda = labels["nvidia.com/cuda.runtime-version.full"] ?? joined("nvidia.com/cuda.runtime");
  if (driver === undefined) return undefined;
  return cuda === undefined ? `driver ${driver}` : `driver ${driver}, CUDA ${cuda}`;
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
