import type { Instant, Millis } from "@trivium/std";

export type Cancel = () => void;

/** Where the runtime gets its time from, so that tests can hold it still. */
export interface Clock {
  now(): Instant;
  /** Time that passed since some moment; unlike `now`, nobody sets it forward or back. */
  elapsed(): Millis;
  /** Runs something once, later. */
  schedule(delay: Millis, run: () => void): Cancel;
}

/** Timers of the system take at most a 32-bit delay, and warn of a time that has passed, as after a jump of the clock. */
const longest = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  schedule(delay, run) {
    const timer = setTimeout(run, Math.min(Math.max(delay, 0), longest));
    return () => clearTimeout(timer);
  },
};

/** Resolves after a delay, or at once when the signal says so. Never rejects: the caller looks at the signal. */
export function waitFor(clock: Clock, delay: Millis, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.schedule(delay, done);
    signal.addEventListener("abort", done, { once: true });
  });
}
