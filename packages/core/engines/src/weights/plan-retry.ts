import type { AttemptReport, NextAttempt, TaskReport } from "@trivium/domain";
import type { Millis } from "@trivium/std";

/** The number of attempts before a person has to change something. */
export const attemptsInARow = 5;
const firstWait: Millis = 60_000;
/** What a person has to put in place is looked for at least so often. */
const longestAwaited: Millis = 300_000;
/** What stopped a task may not be over yet. */
const afterStop: Millis = 5_000;

export type RetryPlan =
  | { readonly is: "retry"; readonly next: NextAttempt }
  | { readonly is: "wait"; readonly retryIn: Millis }
  | { readonly is: "stop"; readonly retryIn?: Millis };

/**
 * When a task that failed is tried again: five times, after waits that double. A changed spec starts the count over. What waits for
 * something that a person puts in place has no limit.
 */
export function planRetry(
  { endedAt, isFinal, isStopped, isAwaited }: Pick<TaskReport, "endedAt" | "isFinal" | "isStopped" | "isAwaited">,
  { attempt, allowed, isChanged, now }: AttemptReport,
): RetryPlan {
  if (isChanged) return { is: "retry", next: restartAttempts(attempt) };
  if (isStopped === true) {
    const rest = (endedAt ?? 0) + afterStop - now;
    return rest <= 0 ? { is: "retry", next: restartAttempts(attempt) } : { is: "wait", retryIn: rest };
  }
  const doubled = firstWait * 2 ** ((attempt - 1) % attemptsInARow);
  if (isAwaited === true) {
    const rest = (endedAt ?? 0) + Math.min(longestAwaited, doubled) - now;
    return rest <= 0 ? { is: "retry", next: restartAttempts(attempt) } : { is: "stop", retryIn: rest };
  }
  if (attempt >= allowed || isFinal === true) return { is: "stop" };
  const next = { attempt: attempt + 1 };
  if (endedAt === undefined) return { is: "retry", next };
  const wait = endedAt + doubled - now;
  return wait <= 0 ? { is: "retry", next } : { is: "wait", retryIn: wait };
}

/** Something else is tried than before, as often as anything is. */
export const restartAttempts = (attempt: number): NextAttempt => ({
  attempt: attempt + 1,
  allowed: attempt + attemptsInARow,
});
