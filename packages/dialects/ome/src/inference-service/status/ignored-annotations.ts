import { type ServingAnnotations, servingAnnotations } from "@trivium/engines";
import type { ObservedService } from "../observed/service.ts";
import type { ComponentPlan } from "../roles/component-plan.ts";

/** Annotations that all dialects share and that have no effect here, each with the reason and what to do. */
export function ignoredAnnotations(
  { faults, adapters, promptCache }: ServingAnnotations,
  components: readonly ComponentPlan[],
  { promptCache: found }: ObservedService,
): string[] {
  const { adapters: lora, promptCache: cache } = servingAnnotations;
  const isMissing = promptCache?.is === "shared" && found?.is === "absent";
  return [
    ...faults,
    ...(adapters.length === 0
      ? []
      : [`Annotation ${lora} has no effect: name FineTunedWeights in spec.model.fineTunedWeights instead`]),
    ...(isMissing
      ? [
          `Service ${promptCache.service} of annotation ${cache} not found in this namespace; create it, or correct the annotation`,
        ]
      : []),
    ...new Set(components.flatMap(({ ignored }) => ignored)),
  ];
}
