import type { Note } from "@trivium/reconcile";
import { readerRef } from "../caches/reader.ts";
import { describeTakeOver, type TakeOverOutcome, type TakeOverStep } from "./plan.ts";

/** What a take-over would do with one object that another operator has served, and with its children. */
export interface PlannedTakeOver {
  readonly reconciler: string;
  /** Kind, namespace and name. */
  readonly object: string;
  readonly steps: readonly TakeOverStep[];
}

/** The plans of all objects that another operator has served, while `--adopt=plan` holds. */
export class TakeOverPlans {
  readonly #plans = new Map<string, PlannedTakeOver & { readonly note: Note }>();
  readonly #onChange: () => void;

  constructor(onChange: () => void = () => {}) {
    this.#onChange = onChange;
  }

  /** What is to be reported, where it differs from what was reported last. */
  note(reader: string, object: string, steps: readonly TakeOverStep[]): Note | undefined {
    const note = describeTakeOver(steps);
    const before = this.#plans.get(reader);
    this.#plans.set(reader, { reconciler: readerRef(reader).reconciler, object, note, steps });
    if (before?.note.message === note.message) return undefined;
    this.#onChange();
    return note;
  }

  forget(reader: string): void {
    if (this.#plans.delete(reader)) this.#onChange();
  }

  all(): Iterable<PlannedTakeOver> {
    return this.#plans.values();
  }

  /** How many objects each reconciler would treat in each way. */
  *counts(): Iterable<{ readonly reconciler: string; readonly outcome: TakeOverOutcome; readonly count: number }> {
    const byReconciler = Map.groupBy(this.#plans.values(), (plan) => plan.reconciler);
    for (const [reconciler, plans] of byReconciler) {
      const steps = plans.flatMap((plan) => plan.steps);
      for (const [outcome, all] of Map.groupBy(steps, (step) => step.outcome))
        yield { reconciler, outcome, count: all.length };
    }
  }
}
