import { type Cancel, type Clock, systemClock } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";

interface Timer {
  readonly at: Instant;
  readonly run: () => void;
  cancel: Cancel;
}

/** The time of this machine, which can be put forward: hours pass for whoever reads it, and what was due in them happens at once. */
export class LeapingClock implements Clock {
  #ahead: Millis = 0;
  readonly #timers = new Set<Timer>();

  now(): Instant {
    return systemClock.now() + this.#ahead;
  }

  /** Time passes with a leap, so what waits for an end sees it. */
  elapsed(): Millis {
    return systemClock.elapsed() + this.#ahead;
  }

  schedule(delay: Millis, run: () => void): Cancel {
    const timer: Timer = { at: this.now() + delay, run, cancel: () => undefined };
    this.#timers.add(timer);
    this.#wind(timer);
    return () => this.#drop(timer);
  }

  leap(by: Millis): void {
    this.#ahead += by;
    for (const timer of this.#timers) {
      timer.cancel();
      this.#wind(timer);
    }
  }

  #wind(timer: Timer): void {
    timer.cancel = systemClock.schedule(Math.max(0, timer.at - this.now()), () => {
      this.#timers.delete(timer);
      timer.run();
    });
  }

  #drop(timer: Timer): void {
    timer.cancel();
    this.#timers.delete(timer);
  }
}
