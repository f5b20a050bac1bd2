import type { AttemptReport, PreparationStep, Prepared, TaskReport, TransferIntent } from "@trivium/domain";
import { planRetry } from "./plan-retry.ts";

export interface TaskContext {
  readonly step: PreparationStep;
  readonly need: TransferIntent["need"];
  readonly attempts: AttemptReport | undefined;
}

/** What tasks that do the same thing come to; nothing where none reports anything. */
export function followTasks<R extends string>(
  reports: readonly TaskReport<R>[],
  { step, need, attempts }: TaskContext,
): Prepared<R> | undefined {
  const those = (state: TaskReport["state"]) => reports.filter((one) => one.state === state);
  const done = those("done");
  if (done.length > 0 && (need === "any" || done.length === reports.length))
    return { is: "ready", by: done.map(({ by }) => by) };
  const failed = those("failed");
  const final = failed.find(({ isFinal, isAwaited }) => isFinal === true || isAwaited === true);
  if (final !== undefined) return afterFailure(final, step, attempts);
  const running = those("running");
  if (running.length > 0)
    return { is: "preparing", step, running, fault: running.find(({ fault }) => fault !== undefined)?.fault };
  if (failed[0] !== undefined) return afterFailure(failed[0], step, attempts);
  const waiting = those("waiting");
  if (waiting.length === 0 && done.length === 0) return undefined;
  return { is: "preparing", step, fault: waiting.find(({ fault }) => fault !== undefined)?.fault };
}

/** Without a count of attempts others retry: what is final for them blocks, the rest passes. */
function afterFailure<R extends string>(
  report: TaskReport<R>,
  step: PreparationStep,
  attempts: AttemptReport | undefined,
): Prepared<R> {
  const fault = report.fault as NonNullable<typeof report.fault>;
  if (attempts === undefined)
    return report.isFinal === true || report.isAwaited === true
      ? { is: "blocked", step, fault }
      : { is: "preparing", step, fault };
  const plan = planRetry(report, attempts);
  switch (plan.is) {
    case "stop":
      return { is: "blocked", step, fault, ...(plan.retryIn === undefined ? {} : { retryIn: plan.retryIn }) };
    case "wait":
      return { is: "preparing", step, fault, retryIn: plan.retryIn };
    case "retry":
      // Until the next attempt has found what was missing, that is still what is wrong.
      return { is: "preparing", step, next: plan.next, ...(report.isAwaited && !attempts.isChanged ? { fault } : {}) };
  }
}
