import { groupResourceOf, type Kind, type KubeObject } from "@trivium/kube";
import { ObjectCache, type OnChange } from "./cache.ts";
import type { FieldRecord } from "./field-record.ts";
import { type ReflectorOptions, reflect } from "./reflector.ts";

/** One cache for each kind that anybody reads or writes. */
export class Caches {
  readonly fieldRecord: FieldRecord;
  readonly #caches = new Map<string, ObjectCache>();

  constructor(kinds: Iterable<Kind>, fieldRecord: FieldRecord, onChange: OnChange) {
    this.fieldRecord = fieldRecord;
    for (const kind of kinds) {
      const resource = groupResourceOf(kind);
      if (!this.#caches.has(resource)) this.#caches.set(resource, new ObjectCache(kind, fieldRecord, onChange));
    }
  }

  of<O extends KubeObject>(kind: Kind<O>): ObjectCache<O> {
    const cache = this.#caches.get(groupResourceOf(kind));
    if (cache === undefined) throw new Error(`no cache for ${kind.kind}: no reconciler reads or writes it`);
    return cache as ObjectCache as unknown as ObjectCache<O>;
  }

  has(kind: Kind): boolean {
    return this.#caches.has(groupResourceOf(kind));
  }

  all(): Iterable<ObjectCache> {
    return this.#caches.values();
  }

  /** Starts to follow the server; resolves when every cache has seen its whole list once. */
  async start(optionsFor: (kind: Kind) => ReflectorOptions, signal: AbortSignal): Promise<Promise<void>[]> {
    const caches = [...this.#caches.values()];
    const running = caches.map((cache) => reflect(cache, optionsFor(cache.kind), signal));
    await Promise.all(caches.map((cache) => cache.whenSynced(signal)));
    return running;
  }
}
