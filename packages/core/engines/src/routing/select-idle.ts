import type { Instant, Millis } from "@trivium/std";

/** A workload that may be put to zero, and what speaks against it. */
export interface Sleeper {
  /** Names the workload. */
  readonly key: string;
  readonly idleTimeout: Millis;
  /** When its last request ended, or when it was first seen ready. */
  readonly lastUsed: Instant;
  /** Requests in flight or held. */
  readonly requests: number;
  readonly isAwake: boolean;
  readonly isLoading: boolean;
}

export type IdleDecision =
  | { readonly is: "sleep" }
  | { readonly is: "later"; readonly at: Instant }
  /** Something else must happen first, and that will be told. */
  | { readonly is: "no" };

/** Whether a workload goes to zero now, or when to look again. */
export function judgeIdle(sleeper: Sleeper, now: Instant): IdleDecision {
  if (!canSleep(sleeper)) return { is: "no" };
  const at = sleeper.lastUsed + sleeper.idleTimeout;
  return at <= now ? { is: "sleep" } : { is: "later", at };
}

/** The one to put to zero so that another fits: the least recently used of those that nobody uses. */
export function selectVictim(sleepers: readonly Sleeper[]): Sleeper | undefined {
  let victim: Sleeper | undefined;
  for (const sleeper of sleepers) {
    if (canSleep(sleeper) && (victim === undefined || sleeper.lastUsed < victim.lastUsed)) victim = sleeper;
  }
  return victim;
}

const canSleep = ({ isAwake, isLoading, requests }: Sleeper): boolean => isAwake && !isLoading && requests === 0;
