import type { PreparationIntent, Prepared } from "@trivium/domain";
import { checkVolume, provideVolume } from "./weights/check-volume.ts";
import { followTasks } from "./weights/follow-tasks.ts";

type Step = <R extends string>(intent: PreparationIntent<R>) => Prepared<R> | undefined;

/**
 * The steps from weights that are requested to weights that pods can read, the same for models and caches of every dialect. The first
 * step that is not done yet decides; when all are done, the transfers do.
 */
export function prepare<R extends string>(intent: PreparationIntent<R>): Prepared<R> {
  for (const step of steps) {
    const outcome = step(intent);
    if (outcome !== undefined) return outcome;
  }
  return transfer(intent);
}

const steps: readonly Step[] = [
  checkVolume,
  keepHeld,
  checkRequest,
  checkSource,
  (intent) => inspect(intent, "source"),
  provideVolume,
  (intent) => inspect(intent, "volume"),
];

/** Weights that are held need no source any more. */
function keepHeld<R extends string>({ isHeld }: PreparationIntent<R>): Prepared<R> | undefined {
  return isHeld === true ? { is: "ready", by: [] } : undefined;
}

function checkRequest<R extends string>({ fault }: PreparationIntent<R>): Prepared<R> | undefined {
  return fault === undefined ? undefined : { is: "blocked", step: "request", fault };
}

/** A task that reaches the source knows more than the operator, which only asked it. */
function checkSource<R extends string>(intent: PreparationIntent<R>): Prepared<R> | undefined {
  const { source, transfers } = intent;
  if (source === undefined || transfers.reports.some(({ state }) => state !== "waiting")) return undefined;
  const { isFinal, ...fault } = source;
  return { is: isFinal ? "blocked" : "preparing", step: "source", fault };
}

/** An inspection that is done lets the next step go on. */
function inspect<R extends string>(
  { inspection, attempts }: PreparationIntent<R>,
  of: "source" | "volume",
): Prepared<R> | undefined {
  if (inspection?.of !== of || inspection.state === "done") return undefined;
  return followTasks([inspection], { step: "inspection", need: "any", attempts });
}

function transfer<R extends string>({ transfers, attempts }: PreparationIntent<R>): Prepared<R> {
  const { reports, need, otherwise } = transfers;
  const outcome = followTasks(reports, { step: "transfer", need, attempts });
  if (outcome !== undefined) return outcome;
  if (otherwise.is === "deferred") return { is: "ready", by: [] };
  return { is: "preparing", step: "transfer", ...(otherwise.is === "awaited" ? { fault: otherwise.fault } : {}) };
}
