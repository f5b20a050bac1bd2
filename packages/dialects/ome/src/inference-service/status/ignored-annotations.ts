import {
  describeMissingCache,
  type ObservedSharedCache,
  type ServingAnnotations,
  servingAnnotations,
} from "@trivium/engines";
import type { ComponentPlan } from "../roles/component-plan.ts";

/** Annotations that all dialects share and that have no effect here, each with the reason and what to do. */
export function ignoredAnnotations(
  { faults, adapters, promptCache }: ServingAnnotations,
  components: readonly ComponentPlan[],
  observed: ObservedSharedCache,
): string[] {
  const { adapters: lora } = servingAnnotations;
  const missing = describeMissingCache({ promptCache }, observed);
  const unused = [...new Set(components.flatMap(({ ignored }) => ignored))];
  return [
    ...faults,
    ...(adapters.length === 0
      ? []
      : [`Annotation ${lora} has no effect: name FineTunedWeights in spec.model.fineTunedWeights instead`]),
    // A Service that nothing would use need not exist.
    ...(missing === undefined || unused.length > 0 ? [] : [missing]),
    ...unused,
  ];
}
