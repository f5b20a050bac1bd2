/** Accelerators of one kind in a node. */
export interface Accelerator {
  readonly vendor: "nvidia" | "amd" | "intel" | "apple";
  /** As the vendor's labeller writes it: `NVIDIA-H100-80GB-HBM3`, `AMD_Instinct_MI300X`, `Apple-M3-Max`. */
  readonly product: string;
  readonly count: number;
  readonly memoryGiB: number;
  /** How many containers can share one card; 1 where it is left out. */
  readonly shares?: number;
  /** `hopper`, `AI`, … */
  readonly family?: string;
  /** PCI device id in hexadecimal, without `0x`. */
  readonly deviceId?: string;
  /** What it can compute, in the vendor's numbers: `9.0`, `gfx942`. */
  readonly capability?: string;
}

export interface AcceleratorFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
}

type Column = (accelerator: Accelerator) => AcceleratorFacts;

const sharesOf = ({ shares = 1 }: Accelerator): number => shares;
const places = (accelerator: Accelerator): string => String(accelerator.count * sharesOf(accelerator));

/** What the vendors' labellers and device plugins say of a node; operators look for all of these forms. */
const vendors: Readonly<Record<Accelerator["vendor"], Column>> = {
  nvidia: (accelerator) => {
    const { product, count, memoryGiB, family, capability } = accelerator;
    const shares = sharesOf(accelerator);
    return {
      labels: {
        "feature.node.kubernetes.io/pci-10de.present": "true",
        "nvidia.com/gpu.present": "true",
        "nvidia.com/gpu.product": product,
        "nvidia.com/gpu.count": String(count),
        "nvidia.com/gpu.memory": String(Math.round(memoryGiB * 1024)),
        ...(shares > 1
          ? { "nvidia.com/gpu.replicas": String(shares), "nvidia.com/gpu.sharing-strategy": "time-slicing" }
          : {}),
        ...(family === undefined ? {} : { "nvidia.com/gpu.family": family }),
        ...computeLabels(capability),
      },
      capacity: { "nvidia.com/gpu": places(accelerator) },
    };
  },
  amd: (accelerator) => {
    const { product, count, memoryGiB, family, deviceId } = accelerator;
    const facts: [name: string, value: string | undefined][] = [
      ["device-id", deviceId],
      ["family", family],
      ["vram", `${Math.round(memoryGiB)}G`],
      ["product-name", product],
    ];
    const labels: Record<string, string> = { "feature.node.kubernetes.io/pci-1002.present": "true" };
    for (const [name, value] of facts) {
      if (value === undefined) continue;
      labels[`amd.com/gpu.${name}`] = value;
      labels[`beta.amd.com/gpu.${name}`] = value;
      // The older form counts cards in the value and names the fact in the key.
      labels[`beta.amd.com/gpu.${name}.${value}`] = String(count);
    }
    return { labels, capacity: { "amd.com/gpu": places(accelerator), "devic.es/dri-render": places(accelerator) } };
  },
  intel: (accelerator) => ({
    labels: {
      "feature.node.kubernetes.io/pci-8086.present": "true",
      "intel.feature.node.kubernetes.io/gpu": "true",
      "gpu.intel.com/product": accelerator.product,
      "gpu.intel.com/memory.max": String(Math.round(accelerator.memoryGiB * 1024 ** 3)),
      ...(accelerator.deviceId === undefined ? {} : { "gpu.intel.com/device-id": accelerator.deviceId }),
    },
    capacity: { "gpu.intel.com/i915": places(accelerator), "devic.es/dri-render": places(accelerator) },
  }),
  /** Apple has no labeller and no device plugin; the forms are ours, after the others'. */
  apple: (accelerator) => ({
    labels: {
      "apple.com/gpu.present": "true",
      "apple.com/gpu.product": accelerator.product,
      "apple.com/gpu.memory": String(Math.round(accelerator.memoryGiB * 1024)),
    },
    capacity: { "apple.com/gpu": places(accelerator) },
  }),
};

function computeLabels(capability: string | undefined): Record<string, string> {
  const [major, minor] = capability?.split(".") ?? [];
  if (major === undefined || minor === undefined) return {};
  return { "nvidia.com/gpu.compute.major": major, "nvidia.com/gpu.compute.minor": minor };
}

/** Labels and resources of a node with these accelerators. Where two kinds of one vendor differ, labels are those of the first. */
export function factsOfAccelerators(accelerators: readonly Accelerator[]): AcceleratorFacts {
  const facts = accelerators.map((accelerator) => vendors[accelerator.vendor](accelerator));
  const capacity: Record<string, string> = {};
  for (const each of facts) {
    for (const [name, count] of Object.entries(each.capacity)) {
      capacity[name] = String(Number(capacity[name] ?? 0) + Number(count));
    }
  }
  return { labels: Object.assign({}, ...facts.map(({ labels }) => labels).reverse()), capacity };
}
