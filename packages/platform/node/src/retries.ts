import type { Cancel, Clock } from "@trivium/runtime";
import type { Millis } from "@trivium/std";

const first: Millis = 1_000;
const longest: Millis = 60_000;

/** Things to try again, each ever more slowly: a disk does not say when it has room, a port not when it is free. */
export class Retries {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { cancel: Cancel; count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  later(key: string, again: () => void): void {
    const count = (this.#waiting.get(key)?.count ?? -1) + 1;
    this.#waiting.get(key)?.cancel();
    const cancel = this.#clock.schedule(Math.min(longest, first * 2 ** count), again);
    this.#waiting.set(key, { cancel, count });
  }

  /** It went well, or nobody wants it any more. */
  settle(key: string): void {
    this.#waiting.get(key)?.cancel();
    this.#waiting.delete(key);
  }

  keys(): string[] {
    return [...this.#waiting.keys()];
  }

  stop(): void {
    for (const key of this.keys()) this.settle(key);
  }
}
