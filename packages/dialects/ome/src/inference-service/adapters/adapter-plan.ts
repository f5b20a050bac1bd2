import type { api } from "@trivium/kube";
import type { ObservedWeight } from "./observe-weights.ts";
import type { WeightMount } from "./weights-mount.ts";

/** Adapters of a pod: their files, and how the engine is told of them. */
export interface AdapterPlan {
  readonly weights: readonly ObservedWeight[];
  readonly mounts: readonly WeightMount[];
  /** What brings files that no agent brings. */
  readonly inits: readonly api.Container[];
}
