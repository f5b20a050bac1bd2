import { devicesOf, noNodeProvides, type ObservedGpu } from "@trivium/engines";
import type { api } from "@trivium/kube";
import { compareQuantity, parseQuantity } from "@trivium/std";
import { asksByCountAlone, asksForGpus, type HardwareRequest } from "./hardware-request.ts";

export type GpuAvailability =
  | {
      readonly is: "available";
      /** Models that will do and are there. Empty: it does not matter. */
      readonly models: readonly string[];
    }
  | {
      readonly is: "unavailable";
      readonly reason: "GPUUnavailable" | "VRAMNotAvailable" | "InsufficientGPUCount";
      readonly message: string;
    };

/**
 * Whether some node has the cards that are asked for, by its labels, and enough of them, where nodes tell how many they have.
 * `offered`: how many of the resource the best node has, whatever its labels.
 */
export function checkGpus(request: HardwareRequest, found: readonly ObservedGpu[], offered = 0): GpuAvailability {
  if (!asksForGpus(request)) return { is: "available", models: [] };
  if (asksByCountAlone(request)) return checkCount(request, found, offered);
  const gpus = found.toSorted((a, b) => (a.model < b.model ? -1 : 1));
  const named = request.models.length === 0 ? gpus : gpus.filter(({ model }) => request.models.includes(model));
  const there = gpus.map(({ model }) => model).join(", ") || "none";
  if (named.length === 0) {
    const wanted = request.models.length === 0 ? "a GPU" : `GPU model ${request.models.join(" or ")}`;
    const message = `No node has ${wanted} (available: ${there}); add such a node, or set label amd.com/gpu.device-id on a node that has it`;
    return { is: "unavailable", reason: "GPUUnavailable", message };
  }
  const large = named.filter((gpu) => hasVram(gpu, request.minVram));
  if (large.length === 0) {
    const message = `No GPU has at least ${request.minVram} of memory (available: ${named.map(({ model }) => model).join(", ")}); add a node with a larger GPU, or lower gpu.minVram`;
    return { is: "unavailable", reason: "VRAMNotAvailable", message };
  }
  const enough = large.filter((gpu) => hasCount(gpu, request));
  if (enough.length > 0) return { is: "available", models: enough.map(({ model }) => model) };
  const most = Math.max(...large.map((gpu) => gpu.most[request.resourceName] ?? 0));
  return tooFew(request, most);
}

function checkCount(request: HardwareRequest, found: readonly ObservedGpu[], offered: number): GpuAvailability {
  // Nodes that have labels and no device plugin do not tell, and are believed.
  const isSilent = found.some(({ most }) => Object.keys(most).length === 0);
  if (isSilent || offered >= (request.count ?? 1)) return { is: "available", models: [] };
  if (offered > 0) return tooFew(request, offered);
  const { headline, wayOut } = noNodeProvides(request.resourceName);
  const message = `N${headline.slice(1)}; ${wayOut}`;
  return { is: "unavailable", reason: "GPUUnavailable", message };
}

const tooFew = ({ count, resourceName }: HardwareRequest, most: number): GpuAvailability => ({
  is: "unavailable",
  reason: "InsufficientGPUCount",
  message: `A replica needs ${count} ${resourceName} on one node, but the largest node has ${most}; add a larger node, or request fewer`,
});

function hasVram({ vramBytes }: ObservedGpu, minVram: string | undefined): boolean {
  const wanted = minVram === undefined ? undefined : parseQuantity(minVram);
  if (wanted === undefined) return minVram === undefined;
  const size = parseQuantity(vramBytes ?? 0);
  return size !== undefined && compareQuantity(size, wanted) >= 0;
}

/** Nodes that only have labels do not tell; then the labels are believed. */
function hasCount({ most }: ObservedGpu, { count = 1, resourceName }: HardwareRequest): boolean {
  const largest = most[resourceName];
  return largest === undefined || largest >= count;
}

/** Nodes with one of the models: one term for each form of label that the cluster has. Nothing where it does not matter. */
export function planNodeAffinity(
  models: readonly string[],
  gpus: readonly ObservedGpu[],
): api.NodeAffinity | undefined {
  const valuesOf = new Map<string, Set<string> | undefined>();
  for (const { model, labels } of gpus.filter((gpu) => models.includes(gpu.model))) {
    for (const label of labels) {
      const at = label.indexOf("=");
      const key = at < 0 ? label : label.slice(0, at);
      if (at < 0) valuesOf.set(key, undefined);
      else addValues(valuesOf, key, [label.slice(at + 1), ...(key === primary ? devicesOf(model) : [])]);
    }
  }
  if (valuesOf.size === 0) return undefined;
  const nodeSelectorTerms = [...valuesOf].sort(([a], [b]) => (a < b ? -1 : 1)).map(termOf);
  return { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
}

/** Nodes that join later may carry another id of the same model. */
const primary = "amd.com/gpu.device-id";

function addValues(known: Map<string, Set<string> | undefined>, key: string, values: readonly string[]): void {
  known.set(key, new Set([...(known.get(key) ?? []), ...values]));
}

function termOf([key, values]: [string, Set<string> | undefined]): api.NodeSelectorTerm {
  const expression =
    values === undefined
      ? { key, operator: "Exists" as const }
      : { key, operator: "In" as const, values: [...values].sort() };
  return { matchExpressions: [expression] };
}
