import { StoreWriteFailed } from "./store.ts";

const pauseMillis = 1000;

/** Knows whether the disk takes writes: by the last one, and after a failure by trying. */
export class WriteTrial {
  readonly #attempt: () => void;
  readonly #clock: () => number;
  #fault: StoreWriteFailed | undefined;
  #triedAt = 0;

  constructor(attempt: () => void, clock: () => number) {
    this.#attempt = attempt;
    this.#clock = clock;
  }

  /** The outcome of a write. */
  note(fault: StoreWriteFailed | undefined): void {
    this.#fault = fault;
    this.#triedAt = fault === undefined ? 0 : this.#clock();
  }

  fault(): StoreWriteFailed | undefined {
    const isDue = Math.abs(this.#clock() - this.#triedAt) >= pauseMillis;
    if (this.#fault !== undefined && isDue) this.note(this.#run());
    return this.#fault;
  }

  #run(): StoreWriteFailed | undefined {
    try {
      this.#attempt();
      return undefined;
    } catch (error) {
      return new StoreWriteFailed(error);
    }
  }
}
