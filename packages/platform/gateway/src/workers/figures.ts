import { AggregatorRegistry, type Registry } from "prom-client";
import type { Figures } from "./calls.ts";

/** The metrics of all workers as one. Those of a worker that has exited stay in the totals, which must never fall. */
export class AllFigures {
  readonly #last = new Map<number, Figures>();
  #retired: Figures = [];

  note(worker: number, figures: Figures): void {
    this.#last.set(worker, figures);
  }

  /** What it had in progress has ended with it. */
  async retire(worker: number): Promise<void> {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    if (last === undefined) return;
    const totals = last.filter(({ type }) => String(type) !== "gauge");
    this.#retired = await sum([this.#retired, totals]).getMetricsAsJSON();
  }

  print(): Promise<string> {
    return sum([this.#retired, ...this.#last.values()]).metrics();
  }
}

/** The library declares an array of what it takes as an array of arrays. */
const sum = (figures: readonly Figures[]): Registry => AggregatorRegistry.aggregate(figures as unknown as object[]);
