import type { Note } from "@trivium/reconcile";
import { readerRef } from "../caches/reader.ts";
import { describeTakeOver, type TakeOverOutcome, type TakeOverStep } from "./plan.ts";

/** The plans of all objects that another operator has served, while `--adopt=plan` holds. */
export class TakeOverPlans {
  readonly #plans = new Map<string, { readonly note: Note; readonly steps: readonly TakeOverStep[] }>();

  /** What is to be reported, where it differs from what was reported last. */
  note(reader: string, steps: readonly TakeOverStep[]): Note | undefined {
    const note = describeTakeOver(steps);
    const before = this.#plans.get(reader);
    this.#plans.set(reader, { note, steps });
    return before?.note.message === note.message ? undefined : note;
  }

  forget(reader: string): void {
    this.#plans.delete(reader);
  }

  /** How many objects each reconciler would treat in each way. */
  *counts(): Iterable<{ readonly reconciler: string; readonly outcome: TakeOverOutcome; readonly count: number }> {
    const byReconciler = Map.groupBy(this.#plans, ([reader]) => readerRef(reader).reconciler);
    for (const [reconciler, plans] of byReconciler) {
      const steps = plans.flatMap(([, plan]) => plan.steps);
      for (const [outcome, all] of Map.groupBy(steps, (step) => step.outcome))
        yield { reconciler, outcome, count: all.length };
    }
  }
}
