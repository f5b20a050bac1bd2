import type { Json } from "@trivium/std";
import type { CollectUntil } from "./sequence.ts";

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

interface TakeOptions {
  readonly bookmarks: boolean;
  /** Milliseconds to wait for all of it. */
  readonly patience: number;
}

/** The events of an open watch, read in the background from the moment it is opened. */
export class EventStream {
  readonly #events: WatchEvent[] = [];
  readonly #stop: AbortController;
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(body: AsyncIterable<string>, stop: AbortController) {
    this.#stop = stop;
    void this.#read(body);
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Takes events off the front; fewer than wanted when the watch ends or nothing comes for too long. */
  async take(until: CollectUntil, { bookmarks, patience }: TakeOptions): Promise<WatchEvent[]> {
    const taken: WatchEvent[] = [];
    const deadline = Date.now() + patience;
    const isDone = (): boolean => {
      if (until === "end") return false;
      if (until === "bookmark") return taken.at(-1)?.type === "BOOKMARK";
      return "events" in until ? taken.length >= until.events : nameOf(taken.at(-1)) === until.named;
    };
    while (!isDone()) {
      const next = this.#events.shift();
      if (next !== undefined) {
        if (bookmarks || next.type !== "BOOKMARK") taken.push(next);
        continue;
      }
      const left = deadline - Date.now();
      if (this.#ended || left <= 0) break;
      await this.#more(left);
    }
    return taken;
  }

  async #read(body: AsyncIterable<string>): Promise<void> {
    let rest = "";
    try {
      for await (const piece of body) {
        const lines = (rest + piece).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") this.#events.push(JSON.parse(line) as WatchEvent);
        this.#wake();
      }
    } catch {
      // Aborted by us, or cut by the server: either way there are no more events.
    }
    this.#ended = true;
    this.#wake();
  }

  #more(patience: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, patience);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const nameOf = (event: WatchEvent | undefined): unknown =>
  (event?.object as { metadata?: { name?: unknown } } | undefined)?.metadata?.name;
