import type { Millis } from "@trivium/std";

export interface ConcurrencyRule {
  readonly start: number;
  readonly max: number;
  /** How long one setting is watched before it is judged. */
  readonly windowMs: Millis;
}

export const defaultConcurrency: ConcurrencyRule = { start: 4, max: 16, windowMs: 500 };

/** A step up must bring this much more to be kept. */
const worthIt = 1.05;
/** Windows to rest after a step up that brought nothing. */
const restAfterMiss = 10;

/**
 * How many connections to use at once: climbs while more of them bring more bytes, steps back when they do not, and halves
 * when the server says it is asked too much.
 */
export class Concurrency {
  readonly #rule: ConcurrencyRule;
  #target: number;
  #windowStart: Millis;
  #windowBytes = 0;
  #rateBefore = 0;
  #isProbing = false;
  #rest = 0;

  constructor(rule: ConcurrencyRule, now: Millis) {
    this.#rule = rule;
    this.#target = Math.max(1, Math.min(rule.start, rule.max));
    this.#windowStart = now;
  }

  get target(): number {
    return this.#target;
  }

  received(bytes: number): void {
    this.#windowBytes += bytes;
  }

  /** Judges the window if it is over. */
  tick(now: Millis): void {
    const elapsed = now - this.#windowStart;
    if (elapsed < this.#rule.windowMs) return;
    const rate = this.#windowBytes / elapsed;
    this.#windowStart = now;
    this.#windowBytes = 0;
    if (rate === 0) return;
    if (this.#isProbing && rate < this.#rateBefore * worthIt) {
      this.#isProbing = false;
      this.#target = Math.max(1, this.#target - 1);
      this.#rest = restAfterMiss;
      return;
    }
    this.#rateBefore = rate;
    if (this.#rest > 0) {
      this.#rest--;
      return;
    }
    this.#isProbing = this.#target < this.#rule.max;
    if (this.#isProbing) this.#target++;
  }

  /** The server refused: 429, 503, or it dropped new connections. */
  overloaded(): void {
    this.#target = Math.max(1, Math.floor(this.#target / 2));
    this.#isProbing = false;
    this.#rest = restAfterMiss;
  }
}
