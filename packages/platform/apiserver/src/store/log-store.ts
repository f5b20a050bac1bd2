import { Compactor } from "./compactor.ts";
import { type Entry, noOwners, type Row } from "./entry.ts";
import type { Contents, Journal } from "./journal.ts";
import { leanText } from "./lean-text.ts";
import { type ListOptions, Objects } from "./objects.ts";
import { defaultHistory, type HistoryLimits } from "./retention.ts";
import {
  type Change,
  type Key,
  type Store,
  StoreClosed,
  StoreConflict,
  type Stored,
  type StoreEvent,
  StoreWriteFailed,
  type Unwatch,
  type WatchFrom,
  type WatchListener,
} from "./store.ts";
import { Watchers } from "./watchers.ts";
import { WriteTrial } from "./write-trial.ts";

export interface StoreOptions {
  readonly clock?: (() => number) | undefined;
  readonly history?: Partial<HistoryLimits> | undefined;
  /** How soon after a change idle watchers hear of the new revision. */
  readonly progressMillis?: number | undefined;
  /** Told of what went wrong where no caller can be: a listener that threw, a sweep that failed. */
  readonly report?: ((error: Error) => void) | undefined;
}

/** What a store is opened on. */
export interface StoreBackend {
  readonly journal: Journal;
  readonly contents: Contents;
  /** Gives back what was taken to open the store. */
  readonly release?: () => void;
}

interface Pending extends Row {
  readonly promise: PromiseWithResolvers<Stored>;
}

/**
 * The store: memory answers reads, the log makes writes durable. All writes of one turn of the event loop share one
 * transaction, and so does everything that reached the process while the transaction before it was being synced.
 */
export class LogStore implements Store {
  readonly #journal: Journal;
  readonly #release: (() => void) | undefined;
  readonly #objects = new Objects();
  readonly #watchers: Watchers;
  readonly #compactor: Compactor;
  readonly #trial: WriteTrial;
  #committed: number;
  /** The newest revision given out; ahead of `#committed` while writes are pending. */
  #assigned: number;
  #pending: Pending[] = [];
  #settling: PromiseWithResolvers<void> | undefined;
  #isWriting = false;
  #isClosed = false;

  constructor({ journal, contents, release }: StoreBackend, options: StoreOptions) {
    this.#journal = journal;
    this.#release = release;
    for (const entry of contents.entries) this.#objects.put(entry);
    // Lists of an empty store need a revision too, and 0 has a meaning of its own in the API.
    this.#committed = Math.max(contents.newest, 1);
    this.#assigned = this.#committed;
    const report = options.report ?? ((error: Error) => process.emitWarning(error));
    this.#watchers = new Watchers({ store: this, journal, progressMillis: options.progressMillis ?? 1000, report });
    const limits = { ...defaultHistory, ...options.history };
    const clock = options.clock ?? Date.now;
    this.#trial = new WriteTrial(() => journal.tryWrite(), clock);
    this.#compactor = new Compactor({ journal, marks: contents.marks, limits, clock, report }, this.#committed);
  }

  get revision(): number {
    return this.#committed;
  }

  get oldestRevision(): number {
    return this.#compactor.compacted;
  }

  get isSettled(): boolean {
    return this.#pending.length === 0;
  }

  settled(): Promise<void> {
    if (this.isSettled) return Promise.resolve();
    this.#settling ??= Promise.withResolvers();
    return this.#settling.promise;
  }

  get(key: Key): Stored | undefined {
    return this.#objects.get(key);
  }

  list(resource: string, options?: ListOptions): Iterable<Stored> {
    return this.#objects.list(resource, options);
  }

  count(resource: string): number {
    return this.#objects.count(resource);
  }

  ownedBy(uid: string): readonly Stored[] {
    return this.#objects.ownedBy(uid);
  }

  write(change: Change): Promise<Stored> {
    if (this.#isClosed) throw new StoreClosed();
    if (this.#isWriting) throw new Error("write was called from inside another write of the same store");
    const before = this.#objects.get(change.key);
    const mustExist = change.op === "delete";
    if ((before?.revision ?? 0) !== change.expect || (mustExist && before === undefined)) {
      throw new StoreConflict(change.key, before);
    }
    const entry = this.#compose(change, before);
    this.#assigned = entry.revision;
    if (change.op === "put") this.#objects.put(entry);
    else this.#objects.remove(entry.key);
    if (this.#pending.length === 0) setImmediate(() => this.#commit());
    const promise = Promise.withResolvers<Stored>();
    this.#pending.push({ op: change.op, entry, before, promise });
    return promise.promise;
  }

  watch(resource: string, options: WatchFrom, listener: WatchListener): Unwatch {
    if (this.#isClosed) throw new StoreClosed();
    return this.#watchers.add(resource, options, listener);
  }

  writeFault(): StoreWriteFailed | undefined {
    return this.#trial.fault();
  }

  compact(revision: number): void {
    this.#compactor.compact(revision);
  }

  close(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#commit();
    this.#isClosed = true;
    this.#watchers.close();
    this.#compactor.close();
    this.#journal.close();
    this.#release?.();
    return Promise.resolve();
  }

  #compose(change: Change, before: Entry | undefined): Entry {
    const revision = this.#assigned + 1;
    this.#isWriting = true;
    try {
      const { text, uid, labels, fields, owners } = change.write(revision);
      return {
        key: before?.key ?? this.#objects.keyOf(change.key),
        revision,
        uid,
        labels,
        ...(fields === undefined ? {} : { fields }),
        text: leanText(text),
        owners: owners.length === 0 ? noOwners : owners,
      };
    } finally {
      this.#isWriting = false;
    }
  }

  #commit(): void {
    const batch = this.#pending;
    if (batch.length === 0) return;
    const settling = this.#settling;
    this.#pending = [];
    this.#settling = undefined;
    try {
      this.#journal.append(batch);
    } catch (error) {
      const fault = new StoreWriteFailed(error);
      this.#trial.note(fault);
      this.#takeBack(batch, fault);
      settling?.resolve();
      return;
    }
    this.#trial.note(undefined);
    this.#publish(batch);
    settling?.resolve();
  }

  /** Watchers hear of a write before its writer does. */
  #publish(batch: readonly Pending[]): void {
    this.#committed = batch.at(-1)!.entry.revision;
    this.#watchers.deliver(this.#eventsOf(batch));
    for (const { promise, entry } of batch) promise.resolve(entry);
    this.#compactor.noteCommit(this.#committed);
  }

  /** The revisions of a failed batch are not used again: someone may have read them while they were pending. */
  #takeBack(batch: readonly Pending[], why: StoreWriteFailed): void {
    for (const { entry, before } of batch.toReversed()) {
      if (before === undefined) this.#objects.remove(entry.key);
      else this.#objects.put(before);
    }
    for (const { promise } of batch) promise.reject(why);
  }

  #eventsOf(batch: readonly Row[]): StoreEvent[] {
    const events: StoreEvent[] = [];
    for (const { op, entry, before } of batch) {
      if (!this.#watchers.hasWatchersOf(entry.key.resource)) continue;
      const type = op === "delete" ? "DELETED" : before === undefined ? "ADDED" : "MODIFIED";
      events.push({ type, revision: entry.revision, object: entry, previous: before });
    }
    return events;
  }
}
