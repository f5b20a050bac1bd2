import type { ObservedNodes } from "./observe.ts";

/** What the nodes of a class come to. */
export interface NodeTotals {
  readonly names: readonly string[];
  /** Nodes that are ready and accept pods. */
  readonly available: number;
  readonly accelerators: number;
}

export const lowerNodes = ({ nodes }: ObservedNodes): NodeTotals => ({
  names: nodes.map(({ name }) => name).sort(),
  available: nodes.filter(({ isAvailable }) => isAvailable).length,
  accelerators: nodes.reduce((sum, one) => sum + one.accelerators, 0),
});
