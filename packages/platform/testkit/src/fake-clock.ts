import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import { turns } from "./turns.ts";

interface Timer {
  readonly at: Instant;
  readonly order: number;
  readonly run: () => void;
}

/** Time that passes only when told to. Timers run in order, each after what the one before it started has come to rest. */
export class FakeClock implements Clock {
  #now: Instant;
  #order = 0;
  /** By how much the clock was set. */
  #set: Millis = 0;
  readonly #timers = new Set<Timer>();

  constructor(start: Instant = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): Instant {
    return this.#now + this.#set;
  }

  elapsed(): Millis {
    return this.#now;
  }

  /** Sets the clock forward or back; timers run when they would have. */
  set(by: Millis): void {
    this.#set += by;
  }

  schedule(delay: Millis, run: () => void): Cancel {
    this.#order += 1;
    const timer: Timer = { at: this.#now + Math.max(0, delay), order: this.#order, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How long until the next timer; nothing when there is none. */
  untilNext(): Millis | undefined {
    const next = this.#next(Number.POSITIVE_INFINITY);
    return next === undefined ? undefined : next.at - this.#now;
  }

  async advance(by: Millis, rest: () => Promise<void> = turns): Promise<void> {
    const end = this.#now + by;
    await rest();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.#timers.delete(timer);
      this.#now = Math.max(this.#now, timer.at);
      timer.run();
      await rest();
    }
    this.#now = end;
  }

  #next(until: Instant): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.at > until) continue;
      if (first === undefined || timer.at < first.at || (timer.at === first.at && timer.order < first.order))
        first = timer;
    }
    return first;
  }
}
