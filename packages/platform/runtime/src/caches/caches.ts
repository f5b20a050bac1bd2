import { groupResourceOf, isReason, type Kind, type KubeObject } from "@trivium/kube";
import type { FieldRecord } from "../apply/field-record.ts";
import { ObjectCache, type OnChange } from "./cache.ts";
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

  /** Resolves when each of these kinds was listed whole once; never where the server does not answer. */
  async whenListed(kinds: readonly Kind[]): Promise<void> {
    await Promise.all(kinds.map((kind) => this.of(kind).synced));
  }

  /**
   * Starts to follow the server; resolves when every cache has seen its whole list once. Failures before that go to `onUnsynced` and
   * are retried; without it, a start rejects where the first list of a kind is not allowed.
   */
  async start(
    optionsFor: (kind: Kind) => ReflectorOptions,
    signal: AbortSignal,
    onUnsynced?: (error: unknown) => void,
  ): Promise<Promise<void>[]> {
    const caches = [...this.#caches.values()];
    const denied = Promise.withResolvers<never>();
    const take = onUnsynced === undefined ? takeDenial(denied.reject) : takeAll(onUnsynced);
    const running = caches.map((cache) => reflect(cache, whileUnsynced(cache, optionsFor(cache.kind), take), signal));
    await Promise.race([denied.promise, Promise.all(caches.map((cache) => cache.whenSynced(signal)))]);
    return running;
  }
}

/** Takes a failure, or leaves it to the log. */
type Take = (error: unknown) => boolean;

const takeAll =
  (onUnsynced: (error: unknown) => void): Take =>
  (error) => {
    onUnsynced(error);
    return true;
  };

/** Rights that are missing from the start are not waited for; those that are lost later are. */
const takeDenial =
  (onDenied: (error: unknown) => void): Take =>
  (error) => {
    const isDenial = isReason(error, "Forbidden", "Unauthorized");
    if (isDenial) onDenied(error);
    return isDenial;
  };

function whileUnsynced(cache: ObjectCache, options: ReflectorOptions, take: Take): ReflectorOptions {
  const onError = (error: unknown): void => {
    if (cache.isSynced || !take(error)) options.onError?.(error);
  };
  return { ...options, onError };
}
