import type { DecidedCondition } from "@trivium/kube";
import type { AcceleratorClass } from "../kinds/accelerator-class.ts";
import { observedAt } from "../model/status/file-status.ts";
import type { NodeTotals } from "./lower.ts";

type ClassStatus = NonNullable<AcceleratorClass["status"]>;

/** Which nodes have the accelerator, and whether a pod could run on one of them. */
export function raiseClass(object: AcceleratorClass, { names, available, accelerators }: NodeTotals): ClassStatus {
  const ready = observedAt(object, readyCondition(object, names.length, available));
  return {
    nodes: [...names],
    availableNodes: available,
    totalAccelerators: accelerators,
    conditions: [ready] as NonNullable<ClassStatus["conditions"]>,
  };
}

function readyCondition({ spec }: AcceleratorClass, matching: number, available: number): DecidedCondition {
  if (matching === 0)
    return {
      type: "Ready",
      status: "False",
      reason: "NoMatchingNode",
      message: `No node matches spec.discovery; ${labelInstruction(spec.discovery.nodeSelector)}`,
    };
  const counts = `${available} of ${matching} matching nodes are ready`;
  if (available > 0) return { type: "Ready", status: "True", reason: "NodesFound", message: counts };
  const message = `${counts} and accept pods; uncordon a node, or wait until one is ready`;
  return { type: "Ready", status: "False", reason: "NoReadyNode", message };
}

function labelInstruction(nodeSelector: Readonly<Record<string, string>> = {}): string {
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0
    ? "add a node that matches, or change spec.discovery"
    : `label nodes with ${labels.join(" and ")}, or change spec.discovery`;
}
