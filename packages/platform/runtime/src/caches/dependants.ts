import { groupResourceOf, type KubeObject } from "@trivium/kube";
import { type Change, keyOfObject } from "./cache.ts";
import { joined } from "./joined.ts";
import { isConcerned, type Matching, type Owned, objectToken, ownedPlace, placeOf, type Read } from "./reads.ts";
import { elementsOf, type Few, SmallSets, withElement, withoutElement } from "./small-sets.ts";
import { anchor, anchorsOf } from "./where.ts";

/** Something that is read, once for all its readers. */
interface Known {
  readonly token: string;
  readers: Few<string>;
  /** Where it is not one object or answer. */
  readonly found?: Matching | Owned;
}

interface Reads {
  readonly all: readonly Known[];
  /** How many of them, from the first on, carrying out the last decision compared with. */
  readonly compared: number;
}

/**
 * Who read what. The reads of a reader's last pass are its watches: nothing else wakes it, and everything in them does.
 * Lists are found through one label, owner, field or namespace that every matching object must have, so that a change of one object
 * looks at the lists it could be in and not at all lists of its kind.
 */
export class Dependants {
  readonly #reads = new Map<string, Reads>();
  readonly #known = new Map<string, Known>();
  /** What matches, by the place where such an object is found. */
  readonly #places = new SmallSets<Known>();
  /** By resource: fields that some list asks for. */
  readonly #fields = new Map<string, Set<string>>();
  readonly #onOrphan: (token: string) => void;

  /** `onOrphan` hears of things that nobody reads any more. */
  constructor(onOrphan: (token: string) => void = () => {}) {
    this.#onOrphan = onOrphan;
  }

  /** Replaces what is known of a reader's reads; what was compared with stays as it was when it is left out. */
  record(reader: string, observed: ReadonlyMap<string, Read>, compared?: readonly Read[]): void {
    const before = this.#reads.get(reader) ?? nothing;
    if (compared === undefined && isSameSet(before, observed)) return;
    const reads = new Map<string, Known>();
    const kept = compared?.map((read) => this.#add(reader, read)) ?? before.all.slice(0, before.compared);
    for (const known of kept) reads.set(known.token, known);
    const count = reads.size;
    for (const read of observed.values()) reads.set(read.token, this.#add(reader, read));
    for (const known of before.all) if (!reads.has(known.token)) this.#remove(reader, known);
    this.#reads.set(reader, { all: [...reads.values()], compared: count });
  }

  forget(reader: string): void {
    for (const known of this.#reads.get(reader)?.all ?? []) this.#remove(reader, known);
    this.#reads.delete(reader);
  }

  /** Forgets everybody: no pass is to come that would need waking. */
  clear(): void {
    for (const reader of [...this.#reads.keys()]) this.forget(reader);
  }

  /** All readers whose reads a change touches; a list is touched when the object was in it or is now. */
  *touchedBy(change: Change): Generator<string> {
    const { kind, old, next } = change;
    const key = keyOfObject((next ?? old) as KubeObject);
    yield* this.readersOf(objectToken(kind, key));
    const resource = groupResourceOf(kind);
    const asked = { fields: this.#fields.get(resource) ?? none, hasNamespaces: true, hasOwners: true };
    const places = new Set<string>([anchor.key(key), anchor.everything].map((place) => joined(resource, place)));
    for (const state of [old, next]) {
      if (state === undefined) continue;
      for (const place of anchorsOf(state, asked)) places.add(joined(resource, place));
      for (const { uid } of state.metadata.ownerReferences ?? []) places.add(ownedPlace(uid));
    }
    for (const place of places) {
      for (const { found, readers } of this.#places.of(place)) {
        if (found !== undefined && isConcerned(found, change)) yield* elementsOf(readers);
      }
    }
  }

  readersOf(token: string): Iterable<string> {
    return elementsOf(this.#known.get(token)?.readers);
  }

  isRead(token: string): boolean {
    return this.#known.has(token);
  }

  #add(reader: string, read: Read): Known {
    const known = this.#known.get(read.token);
    if (known !== undefined) {
      known.readers = withElement(known.readers, reader);
      return known;
    }
    const added = knownOf(reader, read);
    this.#known.set(added.token, added);
    if (added.found === undefined) return added;
    this.#places.add(placeOf(added.found), added);
    if (added.found.of === "matching") this.#noteFields(added.found);
    return added;
  }

  #noteFields({ resource, where }: Matching): void {
    for (const path in where.fields) {
      const fields = this.#fields.get(resource);
      if (fields === undefined) this.#fields.set(resource, new Set([path]));
      else fields.add(path);
    }
  }

  #remove(reader: string, known: Known): void {
    known.readers = withoutElement(known.readers, reader);
    if (known.readers !== undefined) return;
    this.#known.delete(known.token);
    if (known.found !== undefined) this.#places.remove(placeOf(known.found), known);
    this.#onOrphan(known.token);
  }
}

function knownOf(reader: string, read: Read): Known {
  const isPlaced = read.of === "matching" || read.of === "owned";
  return isPlaced ? { token: read.token, readers: reader, found: read } : { token: read.token, readers: reader };
}

/** Whether a pass observed what the one before did. */
function isSameSet({ all, compared }: Reads, observed: ReadonlyMap<string, unknown>): boolean {
  let count = 0;
  for (const { token } of all) if (observed.has(token)) count += 1;
  return count === observed.size && all.every(({ token }, at) => at < compared || observed.has(token));
}

const nothing: Reads = { all: [], compared: 0 };
const none: ReadonlySet<string> = new Set();
