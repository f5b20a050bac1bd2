import type { Instant, Millis } from "@trivium/std";
import { type BackoffLimits, backoffDelay, type Random } from "./backoff.ts";
import type { Cancel, Clock } from "./clock.ts";

export interface QueueOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** How many keys are worked on at a time. */
  readonly concurrency: number;
  readonly backoff?: BackoffLimits;
  /**
   * Works on a key. When the promise resolves the place is free for another key; the key itself stays out of the queue until
   * `settled` resolves. Must not reject.
   */
  run(key: string): Promise<Outcome>;
}

export interface Outcome {
  readonly settled?: Promise<void> | undefined;
}

const defaultBackoff: BackoffLimits = { first: 250, most: 300_000 };

/**
 * Keys that want attention. A key is at most once in flight; what is wished for meanwhile happens afterwards, once.
 * Of two wishes for a key the earlier wins.
 */
export class Queue {
  readonly #options: QueueOptions;
  readonly #ready = new Set<string>();
  readonly #later = new Map<string, { readonly at: Instant; readonly cancel: Cancel }>();
  /** Keys in flight or settling, and whether they were wished for meanwhile. */
  readonly #taken = new Map<string, { again: boolean }>();
  readonly #failures = new Map<string, number>();
  #active = 0;
  #isRunning = false;
  #idle: (() => void)[] = [];

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Keys that could be worked on now. */
  get depth(): number {
    return this.#ready.size;
  }

  get active(): number {
    return this.#active;
  }

  waiting(): Iterable<string> {
    return this.#ready;
  }

  start(): void {
    this.#isRunning = true;
    this.#pump();
  }

  /** Takes up no more keys, forgets all wishes, and resolves when what is in flight has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const { cancel } of this.#later.values()) cancel();
    this.#later.clear();
    this.#ready.clear();
    if (this.#active > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  add(key: string): void {
    const taken = this.#taken.get(key);
    if (taken !== undefined) {
      taken.again = true;
      return;
    }
    this.#dropRequest(key);
    this.#ready.add(key);
    this.#pump();
  }

  addAfter(key: string, delay: Millis): void {
    if (delay <= 0) this.add(key);
    if (delay <= 0 || this.#ready.has(key)) return;
    const { clock } = this.#options;
    const at = clock.now() + delay;
    const request = this.#later.get(key);
    if (request !== undefined && request.at <= at) return;
    request?.cancel();
    const cancel = clock.schedule(delay, () => {
      this.#later.delete(key);
      this.add(key);
    });
    this.#later.set(key, { at, cancel });
  }

  /** Tries again later, and each time in a row later still. Returns the delay. */
  addAfterFailure(key: string): Millis {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delay = backoffDelay(this.#options.backoff ?? defaultBackoff, failures, this.#options.random);
    this.addAfter(key, delay);
    return delay;
  }

  /** Ends the row of failures of a key. */
  succeed(key: string): void {
    this.#failures.delete(key);
  }

  /** Drops what is wished and known of a key whose object is gone. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#dropRequest(key);
  }

  /** Resolves when nothing is ready, in flight or settling. Wishes for later do not count. */
  whenIdle(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #isIdle(): boolean {
    return this.#isRunning ? this.#ready.size === 0 && this.#taken.size === 0 : this.#active === 0;
  }

  #dropRequest(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
  }

  #pump(): void {
    while (this.#isRunning && this.#active < this.#options.concurrency) {
      const [key] = this.#ready;
      if (key === undefined) break;
      this.#ready.delete(key);
      // The coming run sees the world as it is now: a wish made for an older one is fulfilled by it.
      this.#dropRequest(key);
      this.#work(key);
    }
    this.#tellIdle();
  }

  async #work(key: string): Promise<void> {
    const taken = { again: false };
    this.#taken.set(key, taken);
    this.#active += 1;
    const { settled } = await this.#options.run(key);
    this.#active -= 1;
    if (settled !== undefined && this.#isRunning) {
      this.#pump();
      await settled;
    }
    this.#taken.delete(key);
    if (taken.again && this.#isRunning) this.#ready.add(key);
    this.#pump();
  }

  #tellIdle(): void {
    if (this.#idle.length === 0 || !this.#isIdle()) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}
