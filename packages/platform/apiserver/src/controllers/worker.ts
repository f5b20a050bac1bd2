/** Something inside the server that acts on what was stored. */
export interface Worker {
  /** Resolves when the state found at the start was taken up. */
  readonly ready: Promise<void>;
  readonly isBusy: boolean;
  idle(): Promise<void>;
  stop(): void;
}

/** For a part that has nothing to do. */
export const idleWorker: Worker = {
  ready: Promise.resolve(),
  isBusy: false,
  idle: async () => undefined,
  stop: () => undefined,
};

/**
 * Keys to look at, each at most once in the queue, one after the other. A key that comes while it is worked on is looked at
 * again. What fails is told and tried again when the key comes next, or after a pause where `retryAfter` says so.
 */
export class KeyQueue<K extends string = string> {
  readonly #work: (key: K) => Promise<void> | void;
  readonly #fail: (key: K, error: unknown) => void;
  readonly #waiting = new Set<K>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #running: Promise<void> | undefined;
  #isStopped = false;

  constructor(work: (key: K) => Promise<void> | void, fail: (key: K, error: unknown) => void) {
    this.#work = work;
    this.#fail = fail;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  add(key: K): void {
    if (this.#isStopped) return;
    this.#waiting.add(key);
    this.#running ??= this.#run();
  }

  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  stop(): void {
    this.#isStopped = true;
    this.#waiting.clear();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** The queue as a part of the server that is ready when `ready` says so. */
  asWorker(ready: Promise<void>): Worker {
    const isBusy = () => this.isBusy;
    return {
      ready,
      get isBusy() {
        return isBusy();
      },
      idle: () => this.idle(),
      stop: () => this.stop(),
    };
  }

  async #run(): Promise<void> {
    // Whoever added the key finishes first: work must not begin in the middle of another write.
    await Promise.resolve();
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      try {
        await this.#work(key);
      } catch (error) {
        this.#fail(key, error);
        this.#retryLater(key);
      }
    }
    this.#running = undefined;
  }

  #retryLater(key: K): void {
    if (this.#isStopped) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.add(key);
    }, retryMillis).unref();
    this.#timers.add(timer);
  }
}

const retryMillis = 1000;
