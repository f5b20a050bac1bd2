import type { Reconciler } from "@trivium/reconcile";
import { AcceleratorClass } from "../kinds/accelerator-class.ts";
import { lowerNodes } from "./lower.ts";
import { classReads, type ObservedNodes, observeNodes } from "./observe.ts";
import { raiseClass } from "./raise.ts";

/** A class creates nothing: its status says which nodes have the accelerator. */
export const classReconciler = (): Reconciler<AcceleratorClass, ObservedNodes, (typeof classReads)[number]> => ({
  name: "ome.accelerator-class",
  kind: AcceleratorClass,
  reads: classReads,
  writes: [],
  observe: observeNodes,
  decide: (object, observed) => ({ do: "converge", children: [], status: raiseClass(object, lowerNodes(observed)) }),
});
