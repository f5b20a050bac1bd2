import type { Kind, KubeObject, Ref } from "@trivium/kube";
import { groupResourceOf } from "@trivium/kube";
import type { Where } from "@trivium/reconcile";
import { type Change, keyOf, keyOfObject } from "./cache.ts";
import { anchorOf, anchorsOf, matchesWhere } from "./where.ts";

/** One thing that was read: an object by name (there or not), a list, or the answer to a question. */
export type Read =
  | { readonly of: "object"; readonly token: string }
  | { readonly of: "list"; readonly token: string; readonly resource: string; readonly where: Where }
  | { readonly of: "answer"; readonly token: string };

export function readOfObject(kind: Kind, ref: Ref): Read {
  return { of: "object", token: objectToken(kind, keyOf(kind.namespaced ? ref : { name: ref.name })) };
}

export function readOfList(kind: Kind, where: Where): Read {
  const resource = groupResourceOf(kind);
  return { of: "list", token: `list ${resource} ${whereToken(where)}`, resource, where };
}

/** The same for equal wheres, in whatever order they were written; made anew for every list of every pass, so it is cheap. */
function whereToken({ namespace, owner, labels, fields }: Where): string {
  return JSON.stringify([namespace, owner, sortedPairs(labels), sortedPairs(fields)]);
}

function sortedPairs(record: Readonly<Record<string, string>> | undefined): readonly (readonly [string, string])[] {
  if (record === undefined) return [];
  const pairs = Object.entries(record);
  return pairs.length < 2 ? pairs : pairs.sort(([a], [b]) => (a < b ? -1 : 1));
}

export function readOfAnswer(key: string): Read {
  return { of: "answer", token: answerToken(key) };
}

export const answerToken = (key: string): string => `answer ${key}`;
const objectToken = (kind: Kind, key: string): string => `object ${groupResourceOf(kind)} ${key}`;

/**
 * Who read what. The reads of a reader's last pass are its watches: nothing else wakes it, and everything in them does.
 * Lists are found through one label, owner, field or namespace that every matching object must have, so that a change of one object
 * looks at the lists it could be in and not at all lists of its kind.
 */
export class Dependants {
  readonly #reads = new Map<string, ReadonlyMap<string, Read>>();
  readonly #readers = new Map<string, Set<string>>();
  readonly #lists = new Map<string, Map<string, Where>>();
  /** By resource: fields that some list asks for. */
  readonly #fields = new Map<string, Set<string>>();
  readonly #onOrphan: (token: string) => void;

  /** `onOrphan` hears of things that nobody reads any more. */
  constructor(onOrphan: (token: string) => void = () => {}) {
    this.#onOrphan = onOrphan;
  }

  /** Replaces what is known of a reader's reads. */
  record(reader: string, reads: ReadonlyMap<string, Read>): void {
    const before = this.#reads.get(reader);
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

  /** Everybody whose reads a change touches; a list is touched when the object was in it or is now. */
  *touchedBy({ kind, old, next }: Change): Generator<string> {
    const object = (next ?? old) as KubeObject;
    yield* this.#readers.get(objectToken(kind, keyOfObject(object))) ?? [];
    const resource = groupResourceOf(kind);
    const fields = this.#fields.get(resource) ?? none;
    const anchors = new Set<string>();
    for (const state of [old, next])
      if (state !== undefined) for (const place of anchorsOf(state, fields)) anchors.add(place);
    for (const place of anchors) {
      for (const [token, where] of this.#lists.get(`${resource} ${place}`) ?? []) {
        const isTouched = (old && matchesWhere(where, old)) || (next && matchesWhere(where, next));
        if (isTouched) yield* this.#readers.get(token) ?? [];
      }
    }
  }

  readersOf(token: string): ReadonlySet<string> {
    return this.#readers.get(token) ?? none;
  }

  #add(reader: string, read: Read): void {
    const readers = this.#readers.get(read.token);
    if (readers !== undefined) {
      readers.add(reader);
      return;
    }
    this.#readers.set(read.token, new Set([reader]));
    if (read.of !== "list") return;
    const place = `${read.resource} ${anchorOf(read.where)}`;
    const lists = this.#lists.get(place) ?? new Map<string, Where>();
    this.#lists.set(place, lists);
    lists.set(read.token, read.where);
    for (const path in read.where.fields) this.#noteField(read.resource, path);
  }

  #noteField(resource: string, path: string): void {
    const fields = this.#fields.get(resource);
    if (fields === undefined) this.#fields.set(resource, new Set([path]));
    else fields.add(path);
  }

  #remove(reader: string, read: Read, token: string): void {
    const readers = this.#readers.get(token);
    readers?.delete(reader);
    if (readers === undefined || readers.size > 0) return;
    this.#readers.delete(token);
    this.#onOrphan(token);
    if (read.of !== "list") return;
    const place = `${read.resource} ${anchorOf(read.where)}`;
    const lists = this.#lists.get(place);
    lists?.delete(token);
    if (lists?.size === 0) this.#lists.delete(place);
  }
}

const none: ReadonlySet<string> = new Set();
