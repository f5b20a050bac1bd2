/**
 * Lets runs begin until everything rests. Once it is closed nothing begins, and what is beginning has either a keeper that is written down
 * or none at all: ending all runs finds every one of them.
 */
export class StartGate {
  readonly #beginning = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Undefined where nothing begins any more. */
  async pass<T>(begin: () => Promise<T>): Promise<T | undefined> {
    if (this.#isClosed) return undefined;
    const begun = begin();
    this.#beginning.add(begun);
    try {
      return await begun;
    } finally {
      this.#beginning.delete(begun);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#beginning);
  }
}
