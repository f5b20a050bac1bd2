import { type Kind, Namespace } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { AIMClusterServiceTemplate, AIMServiceTemplate } from "../kinds/service-template.ts";
import type { AimOptions } from "../options.ts";
import { planSlots } from "./lower.ts";
import { type ObservedSlots, observeSlots, slotReads } from "./observe.ts";
import { raiseSlots } from "./raise.ts";

/**
 * Only so many discovery Jobs run at once, over all namespaces. Templates state which Job they want; here it is decided, for all of them
 * in one pass, which of them can run.
 */
export function discoverySlots({
  discovery,
}: AimOptions): Reconciler<Namespace, ObservedSlots, (typeof slotReads)[number]> {
  return {
    name: "aim.discovery-slots",
    kind: Namespace,
    keepsStatus: true,
    only: { name: "kube-system" },
    reads: slotReads,
    writes: [],
    patches: [AIMServiceTemplate, AIMClusterServiceTemplate].map((kind: Kind) => ({ kind, verbs: ["patch"] })),
    observe: (_, reader) => observeSlots(reader),
    decide({ status = {} }, observed, now) {
      const plan = planSlots(observed, { most: discovery.maxJobs, now });
      const patches = raiseSlots(plan, observed.templates, now);
      const { recheckIn } = plan;
      return { do: "converge", children: [], patches, status, ...(recheckIn === undefined ? {} : { recheckIn }) };
    },
  };
}
