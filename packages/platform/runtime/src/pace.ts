import type { Millis } from "@trivium/std";
import type { Report } from "./apply/report.ts";
import { type Clock, waitFor } from "./clock.ts";

/**
 * How long an object rests after a pass. What it depends on mostly changes several times within a moment (a Deployment, its pods, their
 * containers), which then is one pass and one status instead of many.
 */
export interface Pace {
  readonly afterPass: Millis;
  /** After a pass that created children, which their controllers report on within a moment. */
  readonly afterCreating: Millis;
}

export const noPace: Pace = { afterPass: 0, afterCreating: 0 };

/** Resolves at the end of the rest; nothing where there is none. */
export function restAfter({ created }: Report, pace: Pace, clock: Clock, stopping: AbortSignal): Promise<void>[] {
  const rest = created > 0 ? pace.afterCreating : pace.afterPass;
  return rest > 0 ? [waitFor(clock, rest, stopping)] : [];
}
