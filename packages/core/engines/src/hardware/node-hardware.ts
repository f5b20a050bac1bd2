import type { Node } from "@trivium/kube";
import type { Part } from "@trivium/reconcile";
import { isHardwareLabel } from "./gpu-label.ts";

/**
 * What a node offers to pods. A kubelet writes its Node every few minutes and agents label it with what it stores, which concerns no
 * decision about hardware. Every service looks at every node, so each version of a node is read once.
 */
export const nodeHardware: Part<Node, Node> = {
  name: "hardware",
  of: (node) => {
    const known = read.get(node);
    if (known !== undefined) return known;
    const hardware = hardwareOf(node);
    read.set(node, hardware);
    return hardware;
  },
};

const read = new WeakMap<Node, Node>();

function hardwareOf({ apiVersion, kind, metadata, spec, status }: Node): Node {
  const { name = "", labels = {}, deletionTimestamp } = metadata;
  const { allocatable, capacity } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      labels: Object.fromEntries(Object.entries(labels).filter(([key]) => isHardwareLabel(key))),
      ...(deletionTimestamp && { deletionTimestamp }),
    },
    spec: { ...(spec?.unschedulable === true && { unschedulable: true }) },
    status: { ...(allocatable && { allocatable }), ...(capacity && { capacity }) },
  };
}
