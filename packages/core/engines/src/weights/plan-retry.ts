import type { AttemptReport, NextAttempt, TaskReport } from "@trivium/domain";
import type { Millis } from "@trivium/std";

/** The number of attempts before a person has to change something. */
export const attemptsInARow = 5;
const firstWait: Millis = 60_000;
/** What stopped a task may not be over yet. */
const afterStop: Millis = 5_000;

export type RetryPlan =
  | { readonly is: "retry"; readonly next: NextAttempt }
  | { readonly is: "wait"; readonly retryIn: Millis }
  | { readonly is: "stop" };

/** When a task that failed is tried again: five times, after waits that double. A changed spec starts the count over. */
export function planRetry(
  { endedAt, isFinal, isStopped }: Pick<TaskReport, "endedAt" | "isFinal" | "isStopped">,
  { attempt, allowed, isChanged, now }: AttemptReport,
): RetryPlan {
  if (isChanged) return { is: "retry", next: restartAttempts(attempt) };
  if (isStopped === true) {
    const rest = (endedAt ?? 0) + afterStop - now;
    return rest <= 0 ? { is: "retry", next: restartAttempts(attempt) } : { is: "wait", retryIn: rest };
  }
  if (attempt >= allowed || isFinal === true) return { is: "stop" };
  const next = { attempt: attempt + 1 };
  if (endedAt === undefined) return { is: "retry", next };
  const wait = endedAt + firstWait * 2 ** ((attempt - 1) % attemptsInARow) - now;
  return wait <= 0 ? { is: "retry", next } : { is: "wait", retryIn: wait };
}

/** Something else is tried than before, as often as anything is. */
export const restartAttempts = (attempt: number): NextAttempt => ({
  attempt: attempt + 1,
  allowed: attempt + attemptsInARow,
});
