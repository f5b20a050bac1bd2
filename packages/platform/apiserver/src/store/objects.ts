import type { Entry } from "./entry.ts";
import { ownCopy } from "./lean-text.ts";
import { Shelf } from "./shelf.ts";
import type { Key } from "./store.ts";

/** All current objects in memory, pending writes included: by key, in order, and by owner. */
export class Objects {
  readonly #shelves = new Map<string, Shelf>();
  readonly #owned = new Map<string, Set<Key>>();

  get(key: Key): Entry | undefined {
    return this.#shelves.get(key.resource)?.get(key.namespace, key.name);
  }

  /** An equal key that shares its strings with its neighbours and keeps nothing of the caller alive. */
  keyOf(key: Key): Key {
    const shelf = this.#shelf(key.resource);
    return { resource: shelf.resource, namespace: shelf.namespaceOf(key.namespace), name: ownCopy(key.name) };
  }

  put(entry: Entry): void {
    const before = this.#shelf(entry.key.resource).put(entry);
    if (before !== undefined) this.#disown(before);
    for (const owner of entry.owners) {
      const keys = this.#owned.get(owner);
      if (keys === undefined) this.#owned.set(owner, new Set([entry.key]));
      else keys.add(entry.key);
    }
  }

  remove(key: Key): void {
    const shelf = this.#shelves.get(key.resource);
    const before = shelf?.remove(key.namespace, key.name);
    if (shelf === undefined || before === undefined) return;
    this.#disown(before);
    if (shelf.size === 0) this.#shelves.delete(key.resource);
  }

  list(resource: string, options: ListOptions = {}): Iterable<Entry> {
    return this.#shelves.get(resource)?.list(options) ?? [];
  }

  count(resource: string): number {
    return this.#shelves.get(resource)?.size ?? 0;
  }

  ownedBy(uid: string): Entry[] {
    const keys = this.#owned.get(uid);
    return keys === undefined ? [] : Array.from(keys, (key) => this.get(key)!);
  }

  #shelf(resource: string): Shelf {
    let shelf = this.#shelves.get(resource);
    if (shelf === undefined) {
      shelf = new Shelf(ownCopy(resource));
      this.#shelves.set(shelf.resource, shelf);
    }
    return shelf;
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
