import type { Journal, Marks } from "./journal.ts";
import { type HistoryLimits, Retention } from "./retention.ts";

/** How many revisions one step sweeps: about a millisecond of work. */
const slice = 256;
/** A clock that stands still (or went back) must not make the timer spin. */
const shortestWait = 50;

export interface CompactorOptions {
  readonly journal: Pick<Journal, "sweep" | "trim">;
  readonly marks: Marks;
  readonly limits: HistoryLimits;
  clock(): number;
  report(error: Error): void;
}

/** Forgets history: says at once that it is gone, and takes the rows away in small steps between other work. */
export class Compactor {
  readonly #options: CompactorOptions;
  readonly #retention: Retention;
  #compacted: number;
  #swept: number;
  /** The newest committed revision. */
  #revision: number;
  #timer: NodeJS.Timeout | undefined;
  #step: NodeJS.Immediate | undefined;

  constructor(options: CompactorOptions, revision: number) {
    this.#options = options;
    this.#retention = new Retention(options.limits);
    this.#compacted = options.marks.compacted;
    this.#swept = options.marks.swept;
    this.#revision = revision;
    if (revision > this.#compacted) this.noteCommit(revision);
    this.#sweepSoon();
  }

  get compacted(): number {
    return this.#compacted;
  }

  noteCommit(revision: number): void {
    this.#revision = revision;
    const tooMany = this.#retention.note(this.#options.clock(), revision, this.#compacted);
    if (tooMany !== undefined) this.compact(tooMany);
    this.#sweepSoon();
    this.#wait();
  }

  compact(revision: number): void {
    const target = Math.min(revision, this.#revision);
    if (target <= this.#compacted) return;
    this.#compacted = target;
    this.#sweepSoon();
  }

  /** Stops, and writes down what was promised to be gone. */
  close(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#step);
    if (this.#swept < this.#compacted) this.#work();
  }

  #wait(): void {
    if (this.#timer !== undefined) return;
    const wait = this.#retention.nextIn(this.#options.clock());
    if (wait === undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        const expired = this.#retention.expired(this.#options.clock(), this.#revision);
        if (expired !== undefined) this.compact(expired);
        this.#wait();
      },
      Math.max(wait, shortestWait),
    ).unref();
  }

  #sweepSoon(): void {
    if (this.#swept < this.#compacted) this.#workSoon();
  }

  #workSoon(): void {
    this.#step ??= setImmediate(() => {
      this.#step = undefined;
      if (this.#work()) this.#workSoon();
    });
  }

  /** One step; returns whether another should follow. Where the disk refuses, the next commit or the timer tries again. */
  #work(): boolean {
    try {
      if (this.#swept >= this.#compacted) return this.#options.journal.trim();
      this.#sweep();
      return true;
    } catch (error) {
      this.#options.report(new Error("cannot compact the store; trying again later", { cause: error }));
      return false;
    }
  }

  #sweep(): void {
    const to = Math.min(this.#swept + slice, this.#compacted);
    this.#options.journal.sweep(this.#swept, to, this.#compacted);
    this.#swept = to;
  }
}
