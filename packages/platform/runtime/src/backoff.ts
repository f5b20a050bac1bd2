import type { Millis } from "@trivium/std";

export interface BackoffLimits {
  readonly first: Millis;
  readonly most: Millis;
}

/** A number in [0, 1): `Math.random`, or a fixed one in tests. */
export type Random = () => number;

/** The delay before try number `failures` + 1: doubled each time up to a limit, and spread so that many do not return at once. */
export function backoffDelay(limits: BackoffLimits, failures: number, random: Random): Millis {
  const doubled = Math.min(limits.most, limits.first * 2 ** Math.min(failures - 1, 40));
  return Math.round(doubled * (0.75 + random() / 2));
}
