import { planReplicas } from "@trivium/engines";
import type { ComponentName, ComponentSpec } from "./component.ts";

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

const defaultMax: Readonly<Record<ComponentName, number>> = { engine: 3, decoder: 3, router: 2 };

/** Between which numbers of copies load decides, while there are any. */
export function boundsOf(component: ComponentName, { minReplicas, maxReplicas }: ComponentSpec): Bounds {
  const min = Math.max(1, minReplicas ?? 1);
  return { min, max: Math.max(min, maxReplicas ?? defaultMax[component]) };
}

/** How many there are of what runs already. */
export interface Running {
  readonly replicas: number;
  readonly isIdled: boolean;
  /** A person stopped it, and no request may start it. */
  readonly isStopped?: boolean | undefined;
}

/** Nobody says how many there may be: whoever scales by hand knows. */
export const unbounded = ({ min }: Bounds): Bounds => ({ min, max: Number.MAX_SAFE_INTEGER });

/**
 * Load decides between the bounds; what was put to sleep stays asleep until somebody wakes it. What others scale is theirs as soon as it
 * is there.
 */
export function replicasOf(
  { min, max }: Bounds,
  { minReplicas }: Pick<ComponentSpec, "minReplicas">,
  live: Running | undefined,
  scaledBy: "us" | "others" = "us",
): number {
  if (live === undefined) return min;
  if (scaledBy === "others") return live.replicas;
  // What a person stopped and starts again does not wait for a request.
  if (live.replicas === 0 && live.isStopped !== true && (live.isIdled || minReplicas === 0)) return 0;
  return planReplicas({ bounds: { min, max }, requested: min, live: live.replicas }).current;
}
