import type { Node } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { findGpuLabel, type Labels } from "./gpu-label.ts";
import { vramOf } from "./gpu-models.ts";

/** What a node reports of its GPUs. */
export interface GpuNode {
  readonly name: string;
  /** The model, and the label that names it. */
  readonly model?: string | undefined;
  readonly label?: string | undefined;
  /** How many of each extended resource it has. */
  readonly resources: Readonly<Record<string, number>>;
  /** Bytes of one GPU, where a label or the model tells. */
  readonly gpuBytes?: number | undefined;
  /** Versions of its driver and of CUDA, where labels tell. */
  readonly driver?: string | undefined;
}

const MiB = 1024 ** 2;

/** Nothing for nodes whose labels name no GPU. Every service looks at every node, so each version of a node is parsed once. */
export function parseGpuNode(node: Node): GpuNode | undefined {
  const known = parsed.get(node);
  if (known !== undefined) return known.gpu;
  const gpu = parse(node);
  parsed.set(node, { gpu });
  return gpu;
}

const parsed = new WeakMap<Node, { readonly gpu: GpuNode | undefined }>();

function parse({ metadata, status }: Node): GpuNode | undefined {
  const labels = metadata.labels ?? {};
  const found = findGpuLabel(labels);
  const gpuBytes = gpuBytesOf(labels) ?? vramOf(found?.model ?? "");
  const driver = driverOf(labels);
  if (found === undefined && gpuBytes === undefined && driver === undefined) return undefined;
  const resources = Object.entries(status?.allocatable ?? status?.capacity ?? {})
    .filter(([name]) => name.includes("/"))
    .map(([name, amount]) => [name, countOf(amount)] as const)
    .filter(([, amount]) => amount > 0);
  return {
    name: metadata.name ?? "",
    ...found,
    resources: Object.fromEntries(resources),
    ...(gpuBytes === undefined ? {} : { gpuBytes }),
    ...(driver === undefined ? {} : { driver }),
  };
}

/** Older and newer versions of GPU feature discovery name their labels differently. */
function driverOf(labels: Labels): string | undefined {
  const joined = (prefix: string): string | undefined => {
    const parts = ["major", "minor", "rev"].map((part) => labels[`${prefix}.${part}`]).filter(Boolean);
    return parts.length === 0 ? undefined : parts.join(".");
  };
  const driver = labels["nvidia.com/cuda.driver-version.full"] ?? joined("nvidia.com/cuda.driver");
  const cuda = labels["nvidia.com/cuda.runtime-version.full"] ?? joined("nvidia.com/cuda.runtime");
  if (driver === undefined) return undefined;
  return cuda === undefined ? `driver ${driver}` : `driver ${driver}, CUDA ${cuda}`;
}

/** NVIDIA writes mebibytes; AMD a number with a unit, where `192G` means Gi. */
function gpuBytesOf(labels: Labels): number | undefined {
  const nvidia = Number(labels["nvidia.com/gpu.memory"]);
  if (nvidia > 0) return nvidia * MiB;
  const text = labels["amd.com/gpu.vram"] ?? labels["beta.amd.com/gpu.vram"] ?? "";
  const bytes = countOf(text.replace(/^(\d+)([GT])i?B?$/i, (_, n, unit) => `${n}${unit.toUpperCase()}i`));
  return bytes > 0 ? bytes : undefined;
}

export function countOf(amount: string | number): number {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}
