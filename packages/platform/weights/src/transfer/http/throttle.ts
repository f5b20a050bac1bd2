import { setTimeout as sleep } from "node:timers/promises";

/** Keeps what flows through it under a rate. Shared by all connections of a download. */
export class Throttle {
  readonly #bytesPerSecond: number;
  /** When all that was let through so far will have been paid for. */
  #paidAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits until these bytes are within the rate; the caller reads no further meanwhile, so the sender slows down. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    this.#paidAt = Math.max(this.#paidAt, now) + (bytes / this.#bytesPerSecond) * 1000;
    const wait = this.#paidAt - now;
    if (wait > 5) await sleep(wait, undefined, { signal });
  }
}
