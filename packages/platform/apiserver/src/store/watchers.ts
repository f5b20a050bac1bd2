import type { Journal } from "./journal.ts";
import { type StoreEvent, StoreGone, type Unwatch, type WatchFrom, type WatchListener } from "./store.ts";

/** How many revisions one catching-up watcher reads before other work gets its turn. */
const slice = 500;

/** What watchers must know of the store they watch. */
export interface Watched {
  readonly revision: number;
  readonly oldestRevision: number;
}

export interface WatchersOptions {
  readonly store: Watched;
  readonly journal: Pick<Journal, "history">;
  readonly progressMillis: number;
  report(error: Error): void;
}

interface Watcher {
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly listener: WatchListener;
  /** Everything up to this revision was delivered or is none of this watcher's business. */
  cursor: number;
  /** The last revision that the listener was told as progress. */
  reported: number;
  isOpen: boolean;
}

/** Who listens to what. A watcher first reads the log in slices, then joins the live ones at exactly the revision reached. */
export class Watchers {
  readonly #options: WatchersOptions;
  readonly #live = new Map<string, Set<Watcher>>();
  #progressTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: WatchersOptions) {
    this.#options = options;
  }

  add(resource: string, from: WatchFrom, listener: WatchListener): Unwatch {
    const { store } = this.#options;
    if (from.after < store.oldestRevision) throw new StoreGone(from.after, store.oldestRevision);
    const { namespace, after } = from;
    const watcher: Watcher = { resource, namespace, listener, cursor: after, reported: after, isOpen: true };
    if (after >= store.revision) this.#join(watcher);
    else setImmediate(() => this.#catchUp(watcher));
    return () => this.#leave(watcher);
  }

  /** Hands committed events to the live watchers, in order. */
  deliver(events: readonly StoreEvent[]): void {
    for (const event of events) {
      const watchers = this.#live.get(event.object.key.resource);
      if (watchers === undefined) continue;
      for (const watcher of watchers) {
        if (event.revision > watcher.cursor) this.#hand(watcher, event);
      }
    }
    this.#progressSoon();
  }

  hasWatchersOf(resource: string): boolean {
    return this.#live.has(resource);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#progressTimer);
    this.#live.clear();
  }

  #catchUp(watcher: Watcher): void {
    if (!watcher.isOpen || this.#isClosed) return;
    const { store, journal } = this.#options;
    if (watcher.cursor < store.oldestRevision) {
      this.#end(watcher, new StoreGone(watcher.cursor, store.oldestRevision));
      return;
    }
    const upTo = Math.min(watcher.cursor + slice, store.revision);
    let events: StoreEvent[];
    try {
      events = journal.history(watcher.resource, watcher.cursor, upTo);
    } catch (error) {
      this.#end(watcher, asError(error));
      return;
    }
    for (const event of events) {
      if (!watcher.isOpen) return;
      this.#hand(watcher, event);
    }
    watcher.cursor = upTo;
    if (upTo < store.revision) setImmediate(() => this.#catchUp(watcher));
    else this.#join(watcher);
  }

  #join(watcher: Watcher): void {
    if (!watcher.isOpen) return;
    const { resource } = watcher;
    const others = this.#live.get(resource);
    if (others === undefined) this.#live.set(resource, new Set([watcher]));
    else others.add(watcher);
    if (watcher.cursor > watcher.reported) this.#progressSoon();
  }

  #leave(watcher: Watcher): void {
    watcher.isOpen = false;
    const others = this.#live.get(watcher.resource);
    if (others?.delete(watcher) && others.size === 0) this.#live.delete(watcher.resource);
  }

  #hand(watcher: Watcher, event: StoreEvent): void {
    watcher.cursor = event.revision;
    if (watcher.namespace !== undefined && watcher.namespace !== event.object.key.namespace) return;
    this.#guard(watcher, () => watcher.listener.event(event));
  }

  #progressSoon(): void {
    if (this.#progressTimer !== undefined || this.#live.size === 0) return;
    this.#progressTimer = setTimeout(() => {
      this.#progressTimer = undefined;
      this.#tellProgress();
    }, this.#options.progressMillis).unref();
  }

  #tellProgress(): void {
    const { revision } = this.#options.store;
    for (const watchers of this.#live.values()) {
      for (const watcher of watchers) {
        if (watcher.reported >= revision) continue;
        watcher.reported = revision;
        this.#guard(watcher, () => watcher.listener.progress?.(revision));
      }
    }
  }

  /** A listener that throws must not keep the others from their events: it is dropped. */
  #guard(watcher: Watcher, call: () => void): void {
    try {
      call();
    } catch (error) {
      const why = new Error(`a watcher of ${watcher.resource} failed and was removed`, { cause: error });
      this.#options.report(why);
      this.#end(watcher, why);
    }
  }

  #end(watcher: Watcher, why: Error): void {
    this.#leave(watcher);
    try {
      watcher.listener.ended?.(why);
    } catch (error) {
      this.#options.report(asError(error));
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
