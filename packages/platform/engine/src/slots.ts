import { chooseSlot } from "./batched/prefix.ts";

/** Who computes: a fixed number of slots, and a queue of limited length in the order of arrival before them. */

export interface Slot {
  readonly id: number;
  task: SlotTask | undefined;
  /** What the model still knows of the last task here. */
  cached: readonly number[];
  lastUsed: number;
}

export interface SlotTask {
  readonly id: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly prompt: readonly number[];
  readonly limit: number;
  decoded: number;
}

export class QueueFull extends Error {}
export class Gone extends Error {}

interface Waiting {
  readonly task: SlotTask;
  grant(slot: Slot): void;
}

export class SlotPool {
  readonly slots: readonly Slot[];
  readonly #queueLength: number;
  readonly #waiting = new Set<Waiting>();
  #lastTask = 0;
  #uses = 0;
  #isIdle: (() => void) | undefined;

  constructor(count: number, queueLength: number) {
    this.slots = Array.from({ length: count }, (_, id) => ({ id, task: undefined, cached: [], lastUsed: 0 }));
    this.#queueLength = queueLength;
  }

  get busy(): number {
    return this.slots.reduce((count, { task }) => count + (task === undefined ? 0 : 1), 0);
  }

  get queued(): number {
    return this.#waiting.size;
  }

  task(given: Omit<SlotTask, "id" | "decoded">): SlotTask {
    return { ...given, id: this.#lastTask++, decoded: 0 };
  }

  /** A slot for the task, now or when its turn comes; `Gone` when the signal says that nobody waits any more. */
  take(task: SlotTask, signal: AbortSignal): Promise<Slot> {
    if (signal.aborted) return Promise.reject(new Gone());
    const free = chooseSlot(
      this.slots.filter((slot) => slot.task === undefined),
      task.prompt,
    );
    if (free !== undefined) {
      free.task = task;
      return Promise.resolve(free);
    }
    if (this.#waiting.size >= this.#queueLength)
      return Promise.reject(
        new QueueFull(`all ${this.slots.length} slots are busy and ${this.#waiting.size} requests are waiting`),
      );
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.delete(waiting);
        reject(new Gone());
        this.#tellIdle();
      };
      const waiting: Waiting = {
        task,
        grant: (slot) => {
          signal.removeEventListener("abort", leave);
          resolve(slot);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.add(waiting);
    });
  }

  /** Hands the slot to whoever waits longest. */
  giveBack(slot: Slot, cached: readonly number[] = []): void {
    slot.task = undefined;
    slot.cached = cached;
    slot.lastUsed = ++this.#uses;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#tellIdle();
      return;
    }
    this.#waiting.delete(next);
    slot.task = next.task;
    next.grant(slot);
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.busy === 0 && this.queued === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#isIdle = resolve;
    });
  }

  #tellIdle(): void {
    if (this.busy === 0 && this.queued === 0) this.#isIdle?.();
  }
}
