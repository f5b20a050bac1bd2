import type { Node } from "@trivium/kube";
import { parseQuantity, quantityToNumber } from "@trivium/std";
import { modelOfDevice, normalizeModel, vramOf } from "./gpu-models.ts";

/** Cards of one model that the cluster has, and the labels by which their nodes are found. */
export interface ObservedGpu {
  readonly model: string;
  readonly vramBytes?: number;
  /** Cards that the best node offers, by resource; empty where nodes have labels and no device plugin. */
  readonly most: Readonly<Record<string, number>>;
  /** `key=value`, or `key` alone where having it is enough. */
  readonly labels: readonly string[];
}

interface Find {
  readonly model: string;
  readonly label: string;
}

const devicePrefixes = ["amd.com/gpu.device-id", "beta.amd.com/gpu.device-id"];
const familyPrefixes = ["amd.com/gpu.family", "beta.amd.com/gpu.family"];
const productLabels = [
  "nvidia.com/gpu.product",
  "nvidia.com/mig.product",
  "nvidia.com/gpu.family",
  "feature.node.kubernetes.io/nvidia-gpu-model",
];

/** All models that nodes say they have, by name. A node that is going away has none to offer. */
export function summarizeGpus(nodes: readonly Node[]): ObservedGpu[] {
  const byModel = new Map<string, ObservedGpu>();
  for (const node of nodes) {
    const found = findGpu(node.metadata.labels ?? {});
    if (found === undefined || node.metadata.deletionTimestamp !== undefined) continue;
    byModel.set(found.model, together(byModel.get(found.model), node, found));
  }
  return [...byModel.values()].sort((a, b) => (a.model < b.model ? -1 : 1));
}

type Labels = Readonly<Record<string, string>>;

/** The first kind of label that says something wins. */
function findGpu(labels: Labels): Find | undefined {
  for (const key of devicePrefixes) {
    const value = labels[key];
    if (value) return { model: modelOfDevice(value), label: `${key}=${value}` };
  }
  for (const prefix of devicePrefixes) {
    const found = suffixOf(labels, prefix);
    if (found !== undefined) return { model: modelOfDevice(found), label: `${prefix}.${found}` };
  }
  for (const key of familyPrefixes) {
    const value = labels[key];
    if (value) return { model: normalizeModel(value), label: `${key}=${value}` };
  }
  for (const prefix of familyPrefixes) {
    const found = suffixOf(labels, prefix);
    if (found !== undefined) return { model: normalizeModel(found), label: `${prefix}.${found}` };
  }
  const key = productLabels.find((label) => labels[label]);
  return key === undefined ? undefined : { model: normalizeModel(labels[key] ?? ""), label: `${key}=${labels[key]}` };
}

/** `prefix.value=N`, where N counts cards. */
function suffixOf(labels: Labels, prefix: string): string | undefined {
  const keys = Object.keys(labels).filter((key) => key.startsWith(`${prefix}.`) && !/^0*$/.test(labels[key] ?? ""));
  return keys.sort()[0]?.slice(prefix.length + 1);
}

function together(before: ObservedGpu | undefined, node: Node, { model, label }: Find): ObservedGpu {
  const vramBytes = Math.max(before?.vramBytes ?? 0, vramLabelOf(node) ?? vramOf(model) ?? 0);
  const most = { ...before?.most };
  for (const [resource, amount] of Object.entries(node.status?.allocatable ?? {})) {
    if (!/gpu|mig-/.test(resource) || !resource.includes("/")) continue;
    const count = countOf(amount);
    if (count > (most[resource] ?? 0)) most[resource] = count;
  }
  return {
    model,
    ...(vramBytes > 0 ? { vramBytes } : {}),
    most,
    labels: [...new Set([...(before?.labels ?? []), label])].sort(),
  };
}

/** How many of a resource the best node has, used or not. */
export function maxOffered(nodes: readonly Node[], resource: string): number {
  const staying = nodes.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return Math.max(0, ...staying.map(({ status }) => countOf(status?.allocatable?.[resource] ?? 0)));
}

function countOf(amount: string | number): number {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? 0 : quantityToNumber(quantity);
}

/** `192G` on such a label means GiB. */
function vramLabelOf({ metadata }: Node): number | undefined {
  const text = metadata.labels?.["amd.com/gpu.vram"] ?? metadata.labels?.["beta.amd.com/gpu.vram"];
  if (!text) return undefined;
  const quantity = parseQuantity(text.replace(/^(\d+)([GT])B?$/i, (_, n, unit) => `${n}${unit.toUpperCase()}i`));
  return quantity === undefined ? undefined : quantityToNumber(quantity);
}
