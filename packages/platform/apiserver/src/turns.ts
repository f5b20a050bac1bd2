/**
 * Turns at work that keeps the process busy for long. Between two of them the event loop goes round once, so every other client that
 * waits is answered first, however many large requests arrive together.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when it is the caller's turn, which lasts until the caller waits for something. */
  take(): Promise<void> {
    const turn = this.#last.then(goRound);
    this.#last = turn;
    return turn;
  }
}

const goRound = () => new Promise<void>((resolve) => setImmediate(resolve));
