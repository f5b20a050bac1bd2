import { groupResourceOf, type KubeObject } from "@trivium/kube";
import { type Change, keyOfObject } from "./cache.ts";
import { isTouched, type Matching, objectToken, placeOf, type Read } from "./reads.ts";
import { SmallSets } from "./small-sets.ts";
import { anchor, anchorsOf } from "./where.ts";

/**
 * Who read what. The reads of a reader's last pass are its watches: nothing else wakes it, and everything in them does.
 * Lists are found through one label, owner, field or namespace that every matching object must have, so that a change of one object
 * looks at the lists it could be in and not at all lists of its kind.
 */
export class Dependants {
  readonly #reads = new Map<string, ReadonlyMap<string, Read>>();
  readonly #readers = new SmallSets();
  /** Tokens of what matches, by the place where such an object is found. */
  readonly #places = new SmallSets();
  readonly #matching = new Map<string, Matching>();
  /** By resource: fields that some list asks for. */
  readonly #fields = new Map<string, Set<string>>();
  readonly #onOrphan: (token: string) => void;

  /** `onOrphan` hears of things that nobody reads any more. */
  constructor(onOrphan: (token: string) => void = () => {}) {
    this.#onOrphan = onOrphan;
  }

  /** Replaces what is known of a reader's reads. */
  record(reader: string, observed: ReadonlyMap<string, Read>, compared: readonly Read[] = []): void {
    const before = this.#reads.get(reader);
    const reads = new Map(observed);
    for (const read of compared) reads.set(read.token, read);
    // Most passes read what the one before read: its tokens are kept, which are those that readers are found by.
    if (before !== undefined && isSameSet(before, reads)) return;
    this.#reads.set(reader, reads);
    for (const [token, read] of reads) if (!before?.has(token)) this.#add(reader, read);
    for (const [token, read] of before ?? []) if (!reads.has(token)) this.#remove(reader, read, token);
  }

  forget(reader: string): void {
    for (const [token, read] of this.#reads.get(reader) ?? []) this.#remove(reader, read, token);
    this.#reads.delete(reader);
  }

  /** Forgets everybody: no pass is to come that would need waking. */
  clear(): void {
    for (const reader of [...this.#reads.keys()]) this.forget(reader);
  }

  /** All readers whose reads a change touches; a list is touched when the object was in it or is now. */
  *touchedBy({ kind, old, next }: Change): Generator<string> {
    const key = keyOfObject((next ?? old) as KubeObject);
    yield* this.#readers.of(objectToken(kind, key));
    const resource = groupResourceOf(kind);
    const fields = this.#fields.get(resource) ?? none;
    const anchors = new Set<string>([anchor.key(key)]);
    for (const state of [old, next])
      if (state !== undefined) for (const place of anchorsOf(state, fields)) anchors.add(place);
    for (const place of anchors) {
      for (const token of this.#places.of(`${resource} ${place}`)) {
        const read = this.#matching.get(token);
        if (read !== undefined && isTouched(read, old, next)) yield* this.#readers.of(token);
      }
    }
  }

  readersOf(token: string): Iterable<string> {
    return this.#readers.of(token);
  }

  isRead(token: string): boolean {
    return this.#readers.has(token);
  }

  #add(reader: string, read: Read): void {
    const isKnown = this.#readers.has(read.token);
    this.#readers.add(read.token, reader);
    if (isKnown || read.of !== "matching") return;
    this.#places.add(placeOf(read), read.token);
    this.#matching.set(read.token, read);
    for (const path in read.where.fields) this.#noteField(read.resource, path);
  }

  #noteField(resource: string, path: string): void {
    const fields = this.#fields.get(resource);
    if (fields === undefined) this.#fields.set(resource, new Set([path]));
    else fields.add(path);
  }

  #remove(reader: string, read: Read, token: string): void {
    this.#readers.remove(token, reader);
    if (this.#readers.has(token)) return;
    this.#onOrphan(token);
    if (read.of !== "matching") return;
    this.#places.remove(placeOf(read), token);
    this.#matching.delete(token);
  }
}

function isSameSet(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  if (a.size !== b.size) return false;
  for (const key of b.keys()) if (!a.has(key)) return false;
  return true;
}

const none: ReadonlySet<string> = new Set();
