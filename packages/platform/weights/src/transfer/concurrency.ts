import type { Millis } from "@trivium/std";

export interface ConcurrencyRule {
  readonly start: number;
  readonly max: number;
  /** How long one setting is watched before it is judged. */
  readonly windowMs: Millis;
}

export const defaultConcurrency: ConcurrencyRule = { start: 4, max: 24, windowMs: 250 };

/** Twice the connections must bring this much more to be kept, and a step by a quarter that much. */
const worthDoubling = 1.25;
const worthIt = 1.05;
/** Windows to rest after a step up that brought nothing. */
const restAfterMiss = 10;

/**
 * How many connections to use at once. It doubles while that pays, then climbs by a quarter while that pays, steps back when it does
 * not, and halves when the server says it is asked too much. The first window after a step is not judged: connections are still
 * being made in it.
 */
export class Concurrency {
  readonly #rule: ConcurrencyRule;
  #target: number;
  #before: { readonly target: number; readonly rate: number } | undefined;
  #windowStart: Millis;
  #windowBytes = 0;
  #isDoubling = true;
  #isSettling = true;
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
    if (this.#isSettling) {
      this.#isSettling = false;
      return;
    }
    this.#judge(rate);
  }

  /** The server refused: 429, 503, or it dropped new connections. */
  overloaded(): void {
    this.#target = Math.max(1, Math.floor(this.#target / 2));
    this.#isDoubling = false;
    this.#before = undefined;
    this.#rest = restAfterMiss;
  }

  #judge(rate: number): void {
    const before = this.#before;
    this.#before = undefined;
    if (before !== undefined && rate < before.rate * (this.#isDoubling ? worthDoubling : worthIt)) {
      this.#target = before.target;
      // Where doubling overshot, a few more may still pay; where a few more did not, there is time.
      this.#rest = this.#isDoubling ? 0 : restAfterMiss;
      this.#isDoubling = false;
      this.#isSettling = true;
      return;
    }
    if (this.#rest > 0) {
      this.#rest--;
      return;
    }
    const next = this.#isDoubling ? this.#target * 2 : this.#target + Math.ceil(this.#target / 4);
    if (this.#target >= this.#rule.max) return;
    this.#before = { target: this.#target, rate };
    this.#target = Math.min(this.#rule.max, next);
    this.#isSettling = true;
  }
}
