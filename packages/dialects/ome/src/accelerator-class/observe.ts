import { parseGpuNode } from "@trivium/engines";
import { findCondition, type Kind, Node } from "@trivium/kube";
import type { Part, Reader } from "@trivium/reconcile";
import { canonicalJson, type Json } from "@trivium/std";
import { memoryBytesOf, numberOf } from "../accelerators/index.ts";
import { isEligible } from "../agent/eligible.ts";
import type { AcceleratorClass } from "../kinds/accelerator-class.ts";

/** A node that has the accelerator. */
export interface ObservedNode {
  readonly name: string;
  /** Whether it is ready and accepts pods. */
  readonly isAvailable: boolean;
  /** How many accelerators of the class it has. */
  readonly accelerators: number;
}

export interface ObservedNodes {
  readonly nodes: readonly ObservedNode[];
}

export const classReads = [Node] as const satisfies readonly Kind[];

export function observeNodes({ spec }: AcceleratorClass, reader: Reader<typeof Node>): ObservedNodes {
  return { nodes: reader.listParts(Node, {}, matching(spec)) };
}

/** A kubelet writes its Node every few minutes; only what is listed here triggers the class. */
const matching = (spec: AcceleratorClass["spec"]): Part<Node, ObservedNode | undefined> => ({
  name: `accelerator ${canonicalJson(JSON.parse(JSON.stringify(spec)) as Json)}`,
  of: (node) => (hasAccelerator(spec, node) ? observeNode(spec, node) : undefined),
});

/** Cards report a little less than the round number that a class has. */
const memoryTolerance = 0.9;

function hasAccelerator({ discovery, capabilities }: AcceleratorClass["spec"], node: Node): boolean {
  const { nodeSelector, affinity, pciVendorID } = discovery;
  if (!isEligible({ nodeSelector, nodeAffinity: affinity?.nodeAffinity }, node)) return false;
  if (pciVendorID && !hasPciVendor(node, pciVendorID)) return false;
  const reported = parseGpuNode(node)?.gpuBytes;
  const required = memoryBytesOf({ capabilities });
  return reported === undefined || required === undefined || reported >= required * memoryTolerance;
}

/** Node feature discovery labels a node with the PCI class and vendor of its devices. */
function hasPciVendor({ metadata }: Node, vendor: string): boolean {
  const id = vendor.toLowerCase().replace(/^0x/, "");
  const prefix = "feature.node.kubernetes.io/pci-";
  return Object.entries(metadata.labels ?? {}).some(
    ([key, value]) => value === "true" && key.startsWith(prefix) && key.slice(prefix.length).split(/[_.]/).includes(id),
  );
}

function observeNode({ resources = [] }: AcceleratorClass["spec"], { metadata, spec, status }: Node): ObservedNode {
  const isReady = findCondition(status?.conditions, "Ready")?.status === "True";
  const [first] = resources;
  const offered = first === undefined ? 0 : (numberOf(status?.allocatable?.[first.name]) ?? 0);
  return {
    name: metadata.name ?? "",
    isAvailable: isReady && spec?.unschedulable !== true && metadata.deletionTimestamp === undefined,
    accelerators: Math.floor(offered),
  };
}
