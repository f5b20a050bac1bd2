import type { Millis } from "@trivium/std";

export interface RetryRule {
  /** Failures in a row, with no byte between them, before it is given up. */
  readonly attempts: number;
  readonly firstDelayMs: Millis;
  readonly maxDelayMs: Millis;
}

export const patientRetry: RetryRule = { attempts: 8, firstDelayMs: 500, maxDelayMs: 30_000 };

/** Doubles from the first delay, with half of it left to chance so that many clients do not come back together. */
export function backoff(rule: RetryRule, failures: number, random: number): Millis {
  const full = Math.min(rule.maxDelayMs, rule.firstDelayMs * 2 ** Math.max(0, failures - 1));
  return full / 2 + (full / 2) * random;
}

/** The wait a `Retry-After` header asks for: seconds, or an HTTP date. At most an hour, so that nobody can park us. */
export function parseRetryAfter(text: string | undefined, now: number): Millis | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(text.trim()) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(seconds) ? undefined : Math.min(3_600_000, Math.max(0, seconds));
}
