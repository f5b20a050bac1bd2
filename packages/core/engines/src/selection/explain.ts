import type { Judged } from "./rules.ts";

/** Why a candidate was not taken: each gate that it failed with the value required and the one found. Nothing for the best. */
export function explainLoss<C>({ failures, lost }: Pick<Judged<C>, "failures" | "lost">): string | undefined {
  if (failures.length > 0)
    return failures.map(({ gate, actual, required }) => `${gate}: requires ${required}, found ${actual}`).join("; ");
  return lost === undefined ? undefined : `${lost.rank}: ${lost.actual} is ranked below ${lost.best}`;
}
