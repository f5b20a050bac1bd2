import type { ComponentName, ComponentSpec } from "./component.ts";

export interface Bounds {
  readonly least: number;
  readonly most: number;
}

const defaultMax: Readonly<Record<ComponentName, number>> = { engine: 3, decoder: 3, router: 2 };

/** Between which numbers of copies load decides, while there are any. */
export function boundsOf(component: ComponentName, { minReplicas, maxReplicas }: ComponentSpec): Bounds {
  const least = Math.max(1, minReplicas ?? 1);
  return { least, most: Math.max(least, maxReplicas ?? defaultMax[component]) };
}

/** How many there are of what runs already. */
export interface Running {
  readonly replicas: number;
  readonly isIdled: boolean;
}

/** Nobody says how many there may be: whoever scales by hand knows. */
export const unbounded = ({ least }: Bounds): Bounds => ({ least, most: Number.MAX_SAFE_INTEGER });

/**
 * Load decides between the bounds; what was put to sleep stays asleep until somebody wakes it. What others scale is theirs as soon as it
 * is there.
 */
export function replicasOf(
  { least, most }: Bounds,
  { minReplicas }: Pick<ComponentSpec, "minReplicas">,
  live: Running | undefined,
  scaledBy: "us" | "others" = "us",
): number {
  if (live === undefined) return least;
  if (scaledBy === "others") return live.replicas;
  if (live.replicas === 0 && (live.isIdled || minReplicas === 0)) return 0;
  return Math.min(most, Math.max(least, live.replicas));
}
