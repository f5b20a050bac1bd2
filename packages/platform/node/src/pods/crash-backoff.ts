import type { Instant, Millis } from "@trivium/std";

export interface BackoffLimits {
  readonly first: Millis;
  readonly most: Millis;
}

/** As a kubelet has them. */
export const defaultBackoff: BackoffLimits = { first: 10_000, most: 300_000 };

/** How long a container that ended waits for its next start: not at all the first time, then ever longer, until it lived long enough. */
export class CrashBackoff {
  readonly #limits: BackoffLimits;
  #delay: Millis | undefined;

  constructor(limits: BackoffLimits) {
    this.#limits = limits;
  }

  /** For a container taken over that was restarted before: it does not begin at nothing. */
  resume(restarts: number): void {
    for (let i = 0; i < Math.min(restarts, 32); i += 1) this.#grow();
  }

  next(startedAt: Instant, endedAt: Instant): Millis {
    if (endedAt - startedAt >= 2 * this.#limits.most) this.#delay = undefined;
    const delay = this.#delay ?? 0;
    this.#grow();
    return delay;
  }

  #grow(): void {
    const { first, most } = this.#limits;
    this.#delay = this.#delay === undefined ? first : Math.min(most, this.#delay * 2);
  }
}
