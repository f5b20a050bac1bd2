import { hasUnresolved, type Reconciler } from "@trivium/reconcile";
import { LoRAAdapter } from "../kinds/lora-adapter.ts";
import { eventsOf } from "./events.ts";
import { lowerAdapter } from "./lower.ts";
import { adapterReads, type ObservedAdapter, observeAdapter } from "./observe.ts";
import { raiseAdapter } from "./raise.ts";

/** An adapter creates nothing: its service loads it, and its status says how far that is. */
export const adapterReconciler = (): Reconciler<LoRAAdapter, ObservedAdapter, (typeof adapterReads)[number]> => ({
  name: "llmkube.lora-adapter",
  kind: LoRAAdapter,
  reads: adapterReads,
  writes: [],
  observe: observeAdapter,
  decide(adapter, observed, now) {
    if (hasUnresolved(observed)) return { do: "hold", status: adapter.status ?? {} };
    const lowered = lowerAdapter(adapter, observed);
    return { do: "converge", children: [], status: raiseAdapter(adapter, lowered, now), notes: eventsOf(lowered) };
  },
});
