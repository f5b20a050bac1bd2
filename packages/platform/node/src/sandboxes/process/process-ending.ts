import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";

export interface ProcessEndingOptions {
  readonly clock: Clock;
  /** What the container wants done before it is asked to end. Ends early with the signal. */
  readonly hook?: ((signal: AbortSignal) => Promise<void>) | undefined;
  ask(): void;
  kill(): void;
}

/** However little time the hook has left, a process that is asked to end gets this long. */
const minGrace: Millis = 2_000;

/** The end of a process in order: its hook, the request to end, and, when the time is over, death. */
export class ProcessEnding {
  readonly #options: ProcessEndingOptions;
  readonly #hookTime = new AbortController();
  #deadline: Instant | undefined;
  #phase: "waiting" | "stopping" | "ended" = "waiting";
  #cancel: Cancel | undefined;

  constructor(options: ProcessEndingOptions) {
    this.#options = options;
  }

  get hasBegun(): boolean {
    return this.#deadline !== undefined;
  }

  /** Asked more than once, the earlier end counts. */
  within(grace: Millis): void {
    const now = this.#options.clock.now();
    const deadline = now + grace;
    const isFirst = this.#deadline === undefined;
    if (this.#phase === "ended" || (!isFirst && (this.#deadline ?? 0) <= deadline)) return;
    this.#deadline = deadline;
    if (grace <= 0) this.#kill();
    else if (this.#phase === "stopping") this.#later(deadline, () => this.#kill());
    else {
      this.#later(deadline, () => this.#hookTime.abort());
      if (isFirst) void this.#begin();
    }
  }

  /** It has ended, or is no longer ours. */
  cancel(): void {
    this.#phase = "ended";
    this.#cancel?.();
    this.#hookTime.abort();
  }

  async #begin(): Promise<void> {
    const { clock, hook, ask } = this.#options;
    await hook?.(this.#hookTime.signal);
    if (this.#phase !== "waiting") return;
    this.#phase = "stopping";
    this.#later(Math.max(this.#deadline ?? 0, hook === undefined ? 0 : clock.now() + minGrace), () => this.#kill());
    ask();
  }

  #kill(): void {
    this.cancel();
    this.#options.kill();
  }

  #later(at: Instant, run: () => void): void {
    const { clock } = this.#options;
    this.#cancel?.();
    this.#cancel = clock.schedule(Math.max(0, at - clock.now()), run);
  }
}
