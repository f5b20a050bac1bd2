import { Collection } from "./collection.ts";
import type { Entry } from "./entry.ts";
import { ownCopy } from "./lean-text.ts";
import type { Key } from "./store.ts";

/** All current objects in memory, pending writes included: by key, in order, and by owner. */
export class Objects {
  readonly #collections = new Map<string, Collection>();
  readonly #owned = new Map<string, Set<Key>>();

  get(key: Key): Entry | undefined {
    return this.#collections.get(key.resource)?.get(key.namespace, key.name);
  }

  /** An equal key that shares its strings with its neighbours and keeps nothing of the caller alive. */
  keyOf(key: Key): Key {
    const collection = this.#collection(key.resource);
    return { resource: collection.resource, namespace: collection.namespaceOf(key.namespace), name: ownCopy(key.name) };
  }

  put(entry: Entry): void {
    const before = this.#collection(entry.key.resource).put(entry);
    if (before !== undefined) this.#disown(before);
    for (const owner of entry.owners) {
      const keys = this.#owned.get(owner);
      if (keys === undefined) this.#owned.set(owner, new Set([entry.key]));
      else keys.add(entry.key);
    }
  }

  remove(key: Key): void {
    const collection = this.#collections.get(key.resource);
    const before = collection?.remove(key.namespace, key.name);
    if (collection === undefined || before === undefined) return;
    this.#disown(before);
    if (collection.size === 0) this.#collections.delete(key.resource);
  }

  list(resource: string, options: ListOptions = {}): Iterable<Entry> {
    return this.#collections.get(resource)?.list(options) ?? [];
  }

  count(resource: string): number {
    return this.#collections.get(resource)?.size ?? 0;
  }

  ownedBy(uid: string): Entry[] {
    const keys = this.#owned.get(uid);
    return keys === undefined ? [] : Array.from(keys, (key) => this.get(key)!);
  }

  #collection(resource: string): Collection {
    let collection = this.#collections.get(resource);
    if (collection === undefined) {
      collection = new Collection(ownCopy(resource));
      this.#collections.set(collection.resource, collection);
    }
    return collection;
  }

  #disown(entry: Entry): void {
    for (const owner of entry.owners) {
      const keys = this.#owned.get(owner);
      if (keys?.delete(entry.key) && keys.size === 0) this.#owned.delete(owner);
    }
  }
}

export interface ListOptions {
  readonly namespace?: string | undefined;
  readonly after?: { readonly namespace: string; readonly name: string };
}
