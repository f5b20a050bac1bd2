import { ConfigMap } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { OmeOptions } from "../options.ts";
import { decideWeight } from "./decide.ts";
import { type ObservedWeight, observeWeight, weightReads } from "./observe.ts";

export function weightReconciler(
  options: OmeOptions,
): Reconciler<FineTunedWeight, ObservedWeight, (typeof weightReads)[number]> {
  return {
    name: "ome.fine-tuned-weight",
    formerNames: ["ome.finetunedweight"],
    kind: FineTunedWeight,
    reads: weightReads,
    writes: [FineTunedWeight, ConfigMap],
    finalizer: "finetunedweights.ome.io/finalizer",
    observe: (weight, reader) => observeWeight(weight, reader, options),
    decide: (weight, observed, now) => decideWeight(weight, { options, observed, now }),
  };
}
