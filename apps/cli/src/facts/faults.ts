import { Refusal } from "@trivium/std";

/** Everything that is wrong with some files: a person corrects them once, not fault by fault. */
export class Faults extends Refusal {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? `${faults[0]}` : [`${faults.length} faults in the manifests`, ...faults].join("\n  "));
    this.faults = faults;
  }
}

/** Collects refusals, and throws them together. */
export class FaultCollector {
  readonly #faults: string[] = [];

  /** The result, or nothing where it was refused. */
  try<R>(act: () => R): R | undefined {
    try {
      return act();
    } catch (error) {
      this.add(error);
      return undefined;
    }
  }

  /** Notes a refusal; what is none is thrown. */
  add(error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    this.#faults.push(...(error instanceof Faults ? error.faults : [error.message]));
  }

  /** Throws where anything was refused. */
  check(): void {
    if (this.#faults.length > 0) throw new Faults(this.#faults);
  }
}

/** Does the same for each, and throws what any of them refused. */
export function forEachOrFaults<T, R>(items: readonly T[], act: (item: T, index: number) => R): R[] {
  const faults = new FaultCollector();
  const results = items.flatMap((item, index) => faults.try(() => [act(item, index)]) ?? []);
  faults.check();
  return results;
}
