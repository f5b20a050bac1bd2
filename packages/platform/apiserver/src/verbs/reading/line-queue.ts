import type { Turns } from "../../turns.ts";

/** As much as one watcher may be behind before it is cut off; a client that comes back resumes where it was. */
const maxText = 16 * 1024 * 1024;
/** Lines are handed over in pieces of about this size: few writes for many events, and no huge strings. */
const pieceSize = 64 * 1024;
/** Characters from which a piece is handed over in a turn of its own: each reader in this process parses it. */
const largePiece = 256 * 1024;

/**
 * Lines waiting for one reader. Writers never wait: when the reader falls too far behind, what is queued is still
 * delivered and then the stream ends. The strings are shared between all readers of the same events.
 */
export class LineQueue implements AsyncIterable<string> {
  #lines: string[] = [];
  #next = 0;
  #size = 0;
  #isEnded = false;
  #wake: (() => void) | undefined;
  #endings: (() => void)[] = [];
  readonly #turns: Pick<Turns, "take">;

  constructor(turns: Pick<Turns, "take">) {
    this.#turns = turns;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Many lines at once may exceed the limit when `isState`: what is in the store already takes no memory to speak of. */
  push(line: string, isState = false): void {
    if (this.#isEnded) return;
    this.#lines.push(line);
    if (!isState) {
      this.#size += line.length;
      if (this.#size > maxText) this.end();
    }
    this.#wakeReader();
  }

  /** No more lines; those queued are still delivered. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    for (const ending of this.#endings) ending();
    this.#endings = [];
    this.#wakeReader();
  }

  /** Nobody reads any more. */
  abandon(): void {
    this.#lines = [];
    this.#next = 0;
    this.end();
  }

  /** Runs when the stream ends, or at once when it has. */
  onEnd(ending: () => void): void {
    if (this.#isEnded) ending();
    else this.#endings.push(ending);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    try {
      for (;;) {
        if (this.#next < this.#lines.length) {
          const piece = this.#take();
          if (piece.length >= largePiece) await this.#turns.take();
          yield piece;
        } else if (this.#isEnded) return;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.abandon();
    }
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  #take(): string {
    let piece = "";
    while (this.#next < this.#lines.length && piece.length < pieceSize) piece += this.#lines[this.#next++];
    if (this.#next === this.#lines.length) {
      this.#lines = [];
      this.#next = 0;
      this.#size = 0;
      return piece;
    }
    this.#size = Math.max(0, this.#size - piece.length);
    this.#forgetTaken();
    return piece;
  }

  /** A reader that is always a little behind must not keep alive what it has read. */
  #forgetTaken(): void {
    if (this.#next < 1000) return;
    this.#lines = this.#lines.slice(this.#next);
    this.#next = 0;
  }
}
