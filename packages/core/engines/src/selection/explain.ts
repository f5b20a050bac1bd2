import type { Judged } from "./rules.ts";

/** Why a candidate was not taken: each test that it failed with the value seen and the one wanted. Nothing for the best. */
export function explainLoss<C>({ failures, lost }: Pick<Judged<C>, "failures" | "lost">): string | undefined {
  if (failures.length > 0)
    return failures.map(({ gate, observed, wanted }) => `${gate}: requires ${wanted}, found ${observed}`).join("; ");
  return lost === undefined ? undefined : `${lost.rank}: ${lost.observed} is ranked below ${lost.best}`;
}
