import { ConfigMap } from "@trivium/kube";
import type { Reconciler } from "@trivium/reconcile";
import { FineTunedWeight } from "../kinds/fine-tuned-weight.ts";
import type { OmeOptions } from "../options.ts";
import { decideWeight } from "./decide.ts";
import { observeWeight, type WeightSeen, weightReads } from "./observe.ts";

export function weightReconciler(
  options: OmeOptions,
): Reconciler<FineTunedWeight, WeightSeen, (typeof weightReads)[number]> {
  return {
    name: "ome.finetunedweight",
    kind: FineTunedWeight,
    reads: weightReads,
    writes: [FineTunedWeight, ConfigMap],
    finalizer: "finetunedweights.ome.io/finalizer",
    observe: (weight, look) => observeWeight(weight, look, options),
    decide: (weight, seen, now) => decideWeight(weight, { options, seen, now }),
  };
}
