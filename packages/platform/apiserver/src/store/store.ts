/**
 * Where objects live. Values are the JSON text of whole objects, so that lists and watches never parse what they only pass on.
 * One revision counter for everything; it never goes back. Everything a promise was resolved for is on the disk.
 */
export interface Store {
  /** The newest committed revision. */
  readonly revision: number;
  /** Watches can resume from this revision or later; older ones get `Gone`. */
  readonly oldestRevision: number;

  /** Whether nothing is pending: what reads show at this moment is on the disk. */
  readonly isSettled: boolean;
  /**
   * Resolves when everything written before the call is committed (or, where the disk refused it, taken back). Code that runs
   * between this promise and its reader may write again: `while (!store.isSettled) await store.settled()` is exact.
   */
  settled(): Promise<void>;
  /** Reads see committed and pending writes of this process; await `settled()` first where that matters. */
  get(key: Key): Stored | undefined;
  /**
   * Objects of one resource in the order of `namespace/name`, as etcd keeps them; of one namespace when given. `after` resumes
   * behind a key, whether or not it is still there.
   */
  list(
    resource: string,
    options?: { namespace?: string | undefined; after?: { namespace: string; name: string } },
  ): Iterable<Stored>;
  count(resource: string): number;
  /** Objects that name this uid among their owner references, of any resource. */
  ownedBy(uid: string): readonly Stored[];

  /**
   * Creates, replaces or removes. The check of `expect` and the choice of revision happen at once, synchronously, so
   * writers in one process never interleave; the promise resolves when the write is durable. Throws `StoreConflict` at once
   * when the object is not at the expected revision (0: must not exist).
   * `write` is given the revision and returns the JSON text to store (for a deletion: the last state, for watchers). When the
   * disk refuses, the promise rejects with `StoreWriteFailed` and the object is again what it was.
   */
  write(change: Change): Promise<Stored>;

  /**
   * Events of a resource after a revision, in order, without gaps or repeats, first from the log, then as they happen.
   * Only committed events are delivered. Throws `StoreGone` when the revision is older than the log.
   */
  watch(resource: string, options: WatchFrom, listener: WatchListener): Unwatch;

  /**
   * Why nothing can be written, where the last write failed. The disk is tried again, at most once a second, so that the
   * store is known to be writable soon after it is.
   */
  writeFault(): StoreWriteFailed | undefined;

  /** Forgets history up to a revision; current objects stay. */
  compact(revision: number): void;
  close(): Promise<void>;
}

/** `resource` is `pods` or `aimservices.aim.silogen.ai`; cluster-scoped objects have namespace "". */
export interface Key {
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Stored {
  readonly key: Key;
  readonly revision: number;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Values of fields that it can be selected by, where its writer gave them; not kept on the disk. */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  /** The whole object as JSON text, with `metadata.resourceVersion` set. The store may spell rare characters as `\\uXXXX`. */
  readonly text: string;
}

export interface Change {
  readonly key: Key;
  readonly op: "put" | "delete";
  readonly expect: number;
  write(revision: number): {
    text: string;
    uid: string;
    labels?: Record<string, string> | undefined;
    fields?: Readonly<Record<string, string>> | undefined;
    owners: readonly string[];
  };
}

export interface WatchFrom {
  readonly after: number;
  readonly namespace?: string | undefined;
}

export interface StoreEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly revision: number;
  readonly object: Stored;
  /** The state before, for selectors that an object enters or leaves. */
  readonly previous: Stored | undefined;
}

export interface WatchListener {
  event(event: StoreEvent): void;
  /** Every event up to this revision was delivered; called when idle, for bookmarks. */
  progress?(revision: number): void;
  /** No more events will come: history was compacted before it was read (`StoreGone`), or the listener threw. Not called by `Unwatch`. */
  ended?(why: Error): void;
}

export type Unwatch = () => void;

export class StoreConflict extends Error {
  readonly actual: Stored | undefined;
  constructor(key: Key, actual: Stored | undefined) {
    super(`${key.resource} ${key.namespace}/${key.name} is at revision ${actual?.revision ?? 0}`);
    this.name = "StoreConflict";
    this.actual = actual;
  }
}

export class StoreGone extends Error {
  readonly oldest: number;
  constructor(wanted: number, oldest: number) {
    super(`too old resource version: ${wanted} (${oldest})`);
    this.name = "StoreGone";
    this.oldest = oldest;
  }
}

/** The disk refused a batch; nothing of it was stored. */
export class StoreWriteFailed extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`cannot write to the store: ${why}; check free space and permissions of the data directory, then try again`, {
      cause,
    });
    this.name = "StoreWriteFailed";
  }
}

export class StoreClosed extends Error {
  constructor() {
    super("the store is closed");
    this.name = "StoreClosed";
  }
}

export type RefusalReason = "held" | "damaged" | "foreign" | "newer" | "unwritable";

/** The data directory cannot be used as it is; nothing in it was changed. The message is one line for the person who must act. */
export class StoreRefused extends Error {
  readonly reason: RefusalReason;
  constructor(reason: RefusalReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "StoreRefused";
    this.reason = reason;
  }
}
