import type { InferenceService } from "../kinds/inference-service.ts";
import type { RuntimeSpec } from "../selection/index.ts";

export type ClassConstraints = NonNullable<NonNullable<InferenceService["spec"]["acceleratorSelector"]>["constraints"]>;

/** What a class must have for a component: what the runtime requires, and what the service requires. */
export function requirementsOf(constraints: ClassConstraints, runtime: RuntimeSpec): ClassConstraints {
  const needed = runtime.acceleratorRequirements ?? {};
  const { preferredPrecisions = [] } = constraints;
  return {
    ...constraints,
    ...highest("minMemory", constraints, needed),
    ...highest("minComputePerformanceTFLOPS", constraints, needed),
    minArchitectureVersion: constraints.minArchitectureVersion ?? needed.minArchitectureVersion,
    requiredFeatures: [...new Set([...(constraints.requiredFeatures ?? []), ...(needed.requiredFeatures ?? [])])],
    preferredPrecisions: preferredPrecisions.length > 0 ? preferredPrecisions : needed.preferredPrecisions,
  };
}

type Minimum = "minMemory" | "minComputePerformanceTFLOPS";

function highest(
  field: Minimum,
  ...all: readonly Partial<Record<Minimum, number | undefined>>[]
): Partial<Record<Minimum, number>> {
  const values = all.flatMap((one) => one[field] ?? []);
  return values.length === 0 ? {} : { [field]: Math.max(...values) };
}
