/** How much history is kept for watches that resume. */
export interface HistoryLimits {
  /** Events younger than this stay, as long as `maxEvents` allows. */
  readonly keepMillis: number;
  /** More events than this are never kept, so that a storm of writes cannot fill the disk. */
  readonly maxEvents: number;
}

export const defaultHistory: HistoryLimits = { keepMillis: 5 * 60_000, maxEvents: 100_000 };

interface Milestone {
  readonly at: number;
  readonly revision: number;
}

/** How many milestones divide the time that is kept: history is forgotten in steps of this fraction of it. */
const steps = 16;

/** Remembers roughly when revisions were written, to say which of them are old. Owns no timer and no clock. */
export class Retention {
  readonly #limits: HistoryLimits;
  #milestones: Milestone[] = [];

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  /** Called after commits. Returns the revision to forget up to because there are too many events, if there are. */
  note(now: number, revision: number, compacted: number): number | undefined {
    const last = this.#milestones.at(-1);
    if (last === undefined || now - last.at >= this.#limits.keepMillis / steps) {
      this.#milestones.push({ at: now, revision });
    }
    const { maxEvents } = this.#limits;
    // A tenth of slack, so that a long storm is answered by a few sweeps and not by one for each commit.
    return revision - compacted > maxEvents * 1.1 ? revision - maxEvents : undefined;
  }

  /** The newest revision that is old enough to be forgotten, if any. */
  expired(now: number, revision: number): number | undefined {
    let expired: number | undefined;
    while (this.#milestones.length > 0 && this.#milestones[0]!.at + this.#limits.keepMillis <= now) {
      expired = this.#milestones.shift()!.revision;
    }
    // What came after the last milestone gets one now, or a store that falls idle would keep it for ever.
    if (this.#milestones.length === 0 && expired !== undefined && expired < revision) {
      this.#milestones.push({ at: now, revision });
    }
    return expired;
  }

  /** Milliseconds until something expires; undefined when there is nothing to wait for. */
  nextIn(now: number): number | undefined {
    const first = this.#milestones[0];
    return first === undefined ? undefined : Math.max(first.at + this.#limits.keepMillis - now, 0);
  }
}
