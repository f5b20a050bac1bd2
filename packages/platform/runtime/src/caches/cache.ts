import type { Kind, KubeObject, Ref } from "@trivium/kube";
import type { Where } from "@trivium/reconcile";
import { deepFreeze } from "@trivium/std";
import type { FieldRecord } from "../apply/field-record.ts";
import { ObjectIndex } from "./object-index.ts";
import { SharedParts } from "./shared-parts.ts";
import { Sightings } from "./sightings.ts";
import { isOutdated } from "./version.ts";
import { matchesWhere } from "./where.ts";

/** What happened to one object: made (no `old`), changed, or gone (no `next`). */
export interface Change {
  readonly kind: Kind;
  readonly old?: KubeObject | undefined;
  readonly next?: KubeObject | undefined;
}

export type OnChange = (change: Change) => void;

// In one piece: it is kept for each object, and what a template builds is kept as a tree of its parts.
export const keyOf = ({ namespace = "", name }: Ref): string => [namespace, name].join("/");
export const keyOfObject = ({ metadata }: KubeObject): string => [metadata.namespace, metadata.name].join("/");

/**
 * All objects of one kind as last seen, indexed. Objects are frozen: whoever reads may keep them.
 * The reflector fills it; everything else only reads.
 */
export class ObjectCache<O extends KubeObject = KubeObject> {
  readonly kind: Kind<O>;
  readonly sightings = new Sightings();
  readonly #synced = Promise.withResolvers<void>();
  #isSynced = false;
  /** False while the server does not know the kind: then there are no objects of it, and that is known. */
  isServed = true;
  readonly #objects = new Map<string, O>();
  readonly #index = new ObjectIndex(this.#objects);
  readonly #parts = new SharedParts();
  readonly #fieldRecord: FieldRecord;
  readonly #onChange: OnChange;

  constructor(kind: Kind<O>, fieldRecord: FieldRecord, onChange: OnChange) {
    this.kind = kind;
    this.#fieldRecord = fieldRecord;
    this.#onChange = onChange;
  }

  /** Whether the whole list was seen once. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Resolves when the whole list was seen once. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  /** Resolves when the whole list was seen once, or when the caller gives up. */
  whenSynced(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const given = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    return Promise.race([this.#synced.promise, given]);
  }

  get size(): number {
    return this.#objects.size;
  }

  get(ref: Ref): O | undefined {
    return this.#objects.get(keyOf(this.kind.namespaced ? ref : { name: ref.name }));
  }

  values(): Iterable<O> {
    return this.#objects.values();
  }

  /** Resolves when this very object is gone, or on its way out. */
  whenLeaving(ref: Ref, uid: string | undefined): Promise<void> {
    return this.whenObject(
      ref,
      (object) => object?.metadata.uid !== uid || object?.metadata.deletionTimestamp !== undefined,
    );
  }

  whenGone(ref: Ref, uid: string | undefined): Promise<void> {
    return this.whenObject(ref, (object) => object?.metadata.uid !== uid);
  }

  /** Resolves when the object of the name fulfils a condition; nothing is given for one that is gone. */
  whenObject(ref: Ref, isFulfilled: (object: KubeObject | undefined) => boolean): Promise<void> {
    const { name, namespace } = ref;
    const key = keyOf(this.kind.namespaced ? { namespace, name } : { name });
    return isFulfilled(this.get(ref)) ? Promise.resolve() : this.sightings.whenObject(key, isFulfilled);
  }

  /** In the order of namespace and name, so that equal worlds give equal lists. */
  list(where: Where): readonly O[] {
    const found: string[] = [];
    for (const key of this.#index.candidates(where))
      if (matchesWhere(where, this.#objects.get(key) as O)) found.push(key);
    return found.sort().map((key) => this.#objects.get(key) as O);
  }

  /** An event of the watch. Events that tell nothing new, because they were repeated, change nothing. */
  put(object: O): void {
    if (isOutdated(object.metadata.resourceVersion, this.sightings.version)) return;
    this.#set(object);
    this.sightings.reach(object.metadata.resourceVersion);
  }

  remove(object: O): void {
    if (isOutdated(object.metadata.resourceVersion, this.sightings.version)) return;
    this.#drop(keyOfObject(object));
    this.sightings.reach(object.metadata.resourceVersion);
  }

  /** Everything up to this version was seen. */
  reach(version: string | undefined): void {
    this.sightings.reach(version);
  }

  /** A whole list: what is not in it is gone, even if nobody told. */
  replace(objects: readonly O[], version: string | undefined): void {
    const present = new Set<string>();
    for (const object of objects) {
      present.add(keyOfObject(object));
      this.#set(object);
    }
    for (const key of [...this.#objects.keys()]) if (!present.has(key)) this.#drop(key);
    this.#isSynced = true;
    this.#synced.resolve();
    this.sightings.restart(version);
  }

  #set(object: O): void {
    const key = keyOfObject(object);
    const old = this.#objects.get(key);
    const { uid, resourceVersion } = object.metadata;
    if (old !== undefined && old.metadata.uid === uid && old.metadata.resourceVersion === resourceVersion) return;
    this.#fieldRecord.take(object);
    this.#parts.share(object, old);
    deepFreeze(object);
    this.#objects.set(key, object);
    this.#index.change(key, old, object);
    this.#onChange({ kind: this.kind, old, next: object });
    this.sightings.changed(key, object);
  }

  #drop(key: string): void {
    const old = this.#objects.get(key);
    if (old === undefined) return;
    this.#objects.delete(key);
    this.#index.change(key, old, undefined);
    this.#onChange({ kind: this.kind, old });
    this.sightings.changed(key, undefined);
  }
}
