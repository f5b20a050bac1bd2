import type { Log } from "@trivium/runtime";

const unsynced = "caches are not synced yet";

/** Whether the operator works yet, and what it waits for: in /readyz, and in the log once for each cause. */
export class StartState {
  readonly #log: Log;
  readonly #reported = new Set<string>();
  #pending: string | undefined = unsynced;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Why the operator does not work yet; undefined once it does. */
  get pending(): string | undefined {
    return this.#pending;
  }

  waitFor(cause: string): void {
    this.#pending = cause;
    if (this.#reported.has(cause)) return;
    this.#reported.add(cause);
    this.#log.warn({}, `${cause}; retrying automatically`);
  }

  /** What was waited for has arrived; the start continues. */
  proceed(): void {
    this.#pending = unsynced;
  }

  finish(): void {
    this.#pending = undefined;
    this.#reported.clear();
  }
}
