import { modelOfDevice, normalizeModel } from "./gpu-models.ts";

/** The GPU model that the labels of a node name, and the label that names it. */
export interface GpuLabel {
  readonly model: string;
  /** `key=value`, or `key` alone where having it is enough. */
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

const hardwarePrefixes = ["amd.com/", "beta.amd.com/", "nvidia.com/", "feature.node.kubernetes.io/"];

/** Whether a label of a node can name its GPUs, their memory or their driver. */
export const isHardwareLabel = (key: string): boolean => hardwarePrefixes.some((prefix) => key.startsWith(prefix));

export type Labels = Readonly<Record<string, string>>;

/** The first form of label that names a model wins. */
export function findGpuLabel(labels: Labels): GpuLabel | undefined {
  return (
    findIn(labels, devicePrefixes, modelOfDevice) ??
    findIn(labels, familyPrefixes, normalizeModel) ??
    findProduct(labels)
  );
}

function findIn(labels: Labels, prefixes: readonly string[], modelOf: (text: string) => string): GpuLabel | undefined {
  for (const key of prefixes) {
    const value = labels[key];
    if (value) return { model: modelOf(value), label: `${key}=${value}` };
  }
  for (const prefix of prefixes) {
    const found = suffixOf(labels, prefix);
    if (found !== undefined) return { model: modelOf(found), label: `${prefix}.${found}` };
  }
  return undefined;
}

function findProduct(labels: Labels): GpuLabel | undefined {
  const key = productLabels.find((label) => labels[label]);
  return key === undefined ? undefined : { model: normalizeModel(labels[key] ?? ""), label: `${key}=${labels[key]}` };
}

/** `prefix.value=N`, where N counts cards. */
function suffixOf(labels: Labels, prefix: string): string | undefined {
  const keys = Object.keys(labels).filter((key) => key.startsWith(`${prefix}.`) && !/^0*$/.test(labels[key] ?? ""));
  return keys.sort()[0]?.slice(prefix.length + 1);
}
