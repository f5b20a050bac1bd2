/** Accelerators of one kind in a node. */
export interface Accelerator {
  readonly vendor: "nvidia" | "amd" | "intel";
  /** As the vendor's labeller writes it: `NVIDIA-H100-80GB-HBM3`, `AMD_Instinct_MI300X`. */
  readonly product: string;
  readonly count: number;
  readonly memoryGiB: number;
  /** `hopper`, `AI`, … */
  readonly family?: string;
  /** PCI device id in hexadecimal, without `0x`. */
  readonly deviceId?: string;
}

export interface AcceleratorFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
}

type Column = (accelerator: Accelerator) => AcceleratorFacts;

/** What the vendors' labellers and device plugins say of a node; operators look for all of these forms. */
const vendors: Readonly<Record<Accelerator["vendor"], Column>> = {
  nvidia: ({ product, count, memoryGiB, family }) => ({
    labels: {
      "feature.node.kubernetes.io/pci-10de.present": "true",
      "nvidia.com/gpu.present": "true",
      "nvidia.com/gpu.product": product,
      "nvidia.com/gpu.count": String(count),
      "nvidia.com/gpu.memory": String(memoryGiB * 1024),
      ...(family === undefined ? {} : { "nvidia.com/gpu.family": family }),
    },
    capacity: { "nvidia.com/gpu": String(count) },
  }),
  amd: ({ product, count, memoryGiB, family, deviceId }) => {
    const facts: [name: string, value: string | undefined][] = [
      ["device-id", deviceId],
      ["family", family],
      ["vram", `${memoryGiB}G`],
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
    return { labels, capacity: { "amd.com/gpu": String(count), "devic.es/dri-render": String(count) } };
  },
  intel: ({ product, count, memoryGiB, deviceId }) => ({
    labels: {
      "feature.node.kubernetes.io/pci-8086.present": "true",
      "intel.feature.node.kubernetes.io/gpu": "true",
      "gpu.intel.com/product": product,
      "gpu.intel.com/memory.max": String(memoryGiB * 1024 ** 3),
      ...(deviceId === undefined ? {} : { "gpu.intel.com/device-id": deviceId }),
    },
    capacity: { "gpu.intel.com/i915": String(count), "devic.es/dri-render": String(count) },
  }),
};

/** Labels and resources of a node with these accelerators. */
export function factsOfAccelerators(accelerators: readonly Accelerator[]): AcceleratorFacts {
  const facts = accelerators.map((accelerator) => vendors[accelerator.vendor](accelerator));
  return {
    labels: Object.assign({}, ...facts.map(({ labels }) => labels)),
    capacity: Object.assign({}, ...facts.map(({ capacity }) => capacity)),
  };
}
