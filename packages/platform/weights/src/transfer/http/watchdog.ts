import type { Millis } from "@trivium/std";
import { WeightsError } from "../../fault.ts";

export interface StallRule {
  /** A connection that brings fewer than `bytes` in this time is given up and asked for again. */
  readonly windowMs: Millis;
  readonly bytes: number;
}

export const patientStall: StallRule = { windowMs: 30_000, bytes: 16 * 1024 };

/** Aborts a connection that stands still or only drips. */
export class Watchdog {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #bytes = 0;
  #heldMs = 0;
  #heldSince: Millis | undefined;

  constructor(rule: StallRule, outer: AbortSignal, shownAs: string) {
    const controller = new AbortController();
    this.signal = AbortSignal.any([outer, controller.signal]);
    this.#timer = setInterval(() => {
      // While we ourselves wait (bandwidth limit, slow disk) the other side is not to blame.
      const isStalled = this.#takeHeldMs() < rule.windowMs / 2 && this.#bytes < rule.bytes;
      this.#bytes = 0;
      if (!isStalled) return;
      const seconds = Math.round(rule.windowMs / 100) / 10;
      controller.abort(new WeightsError("unreachable", "Stalled", `${shownAs}: no data received for ${seconds}s`));
    }, rule.windowMs);
  }

  saw(bytes: number): void {
    this.#bytes += bytes;
  }

  /** Time spent in `own` is ours, not the other side's. */
  async hold<T>(own: Promise<T>): Promise<T> {
    this.#heldSince = performance.now();
    try {
      return await own;
    } finally {
      this.#heldMs += performance.now() - this.#heldSince;
      this.#heldSince = undefined;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #takeHeldMs(): Millis {
    const now = performance.now();
    const held = this.#heldMs + (this.#heldSince === undefined ? 0 : now - this.#heldSince);
    this.#heldMs = 0;
    if (this.#heldSince !== undefined) this.#heldSince = now;
    return held;
  }
}
