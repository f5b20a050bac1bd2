import { groupResourceOf, type Kind, type KubeObject, type Ref } from "@trivium/kube";
import type { Part, Where } from "@trivium/reconcile";
import { deepEqual } from "@trivium/std";
import { type Change, keyOf } from "./cache.ts";
import { joined } from "./joined.ts";
import { anchor, anchorOf, matchesWhere } from "./where.ts";

// biome-ignore lint/suspicious/noExplicitAny: parts of objects of different kinds
export type AnyPart = Part<any, unknown>;

/** One thing that was read: an object by name (whether it exists or not), objects that match, or the answer to a query. */
export type Read =
  | { readonly of: "object"; readonly token: string }
  | Matching
  | Owned
  | { readonly of: "answer"; readonly token: string };

/** Objects, or one by its key; where a part is given, only its changes count. */
export interface Matching {
  readonly of: "matching";
  readonly token: string;
  readonly resource: string;
  readonly where: Where;
  readonly key?: string;
  readonly part?: AnyPart | undefined;
}

/** What a reconciler has written for one object: one read, however many kinds it can write. */
export interface Owned {
  readonly of: "owned";
  readonly token: string;
  /** The uid of the object. */
  readonly owner: string;
  readonly resources: ReadonlySet<string>;
}

export function readOfOwned(reconciler: string, resources: ReadonlySet<string>, owner: string): Read {
  return { of: "owned", token: joined("owned", reconciler, owner), owner, resources };
}

export function readOfObject(kind: Kind, ref: Ref, part?: AnyPart): Read {
  const key = keyOf(kind.namespaced ? ref : { name: ref.name });
  const token = objectToken(kind, key);
  if (part === undefined) return { of: "object", token };
  return { of: "matching", token: joined(token, part.name), resource: groupResourceOf(kind), where: {}, key, part };
}

export function readOfList(kind: Kind, where: Where, part?: AnyPart): Read {
  const resource = groupResourceOf(kind);
  const token = joined("list", resource, whereToken(where));
  if (part === undefined) return { of: "matching", token, resource, where };
  return { of: "matching", token: joined(token, part.name), resource, where, part };
}

/** Where any object that is meant can be found. */
export function placeOf(read: Matching | Owned): string {
  if (read.of === "owned") return ownedPlace(read.owner);
  const { resource, where, key } = read;
  return joined(resource, key === undefined ? anchorOf(where) : anchor.key(key));
}

export const ownedPlace = (owner: string): string => joined("owned", owner);

/** The same for equal wheres, in whatever order they were written; computed for every list of every pass, so it is cheap. */
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

export const answerToken = (key: string): string => joined("answer", key);
/** The key of an answer, where the token is of one. */
export const answerOfToken = (token: string): string | undefined =>
  token.startsWith("answer ") ? token.slice("answer ".length) : undefined;
export const objectToken = (kind: Kind, key: string): string => joined("object", groupResourceOf(kind), key);

/** Whether a change of an object at the place of a read concerns its readers. */
export function isConcerned(read: Matching | Owned, { kind, old, next }: Change): boolean {
  return read.of === "owned" ? read.resources.has(groupResourceOf(kind)) : isTouched(read, old, next);
}

/** Whether a change of an object concerns its readers: it was among those that are meant or is now, and their part of it changed. */
function isTouched({ where, key, part }: Matching, old: KubeObject | undefined, next: KubeObject | undefined): boolean {
  const before = old !== undefined && matchesWhere(where, old) ? old : undefined;
  const after = next !== undefined && matchesWhere(where, next) ? next : undefined;
  if (before === undefined && after === undefined) return false;
  if (part === undefined) return true;
  // One that is looked up by its name is read even where it has no such part.
  if (key !== undefined && (before === undefined || after === undefined)) return true;
  return !deepEqual(before && part.of(before), after && part.of(after));
}
