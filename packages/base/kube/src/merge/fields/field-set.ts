import type { JsonObject } from "@trivium/std";
import { compareElements, formatElement } from "./path-element.ts";

/**
 * A set of field paths in the very form of `fieldsV1`: a tree of steps. A node is a member of the set when it is empty or
 * has the key `.`; otherwise only things below it are. The root is never a member, so the empty object is the empty set.
 *
 * Sets are values: no function changes its arguments, and parts that stay the same are shared.
 */
export type FieldSet = JsonObject;

export const noFields: FieldSet = Object.freeze({});

export function isEmptySet(set: FieldSet): boolean {
  for (const _ in set) return false;
  return true;
}

/** Whether the node itself, and not only something below it, is in the set. */
export function isMember(node: FieldSet): boolean {
  return "." in node || isEmptySet(node);
}

/** The node with what is given below it, and itself where that is said; undefined for nothing at all. */
export function nodeOf(below: FieldSet, self: "member" | "passage"): FieldSet | undefined {
  if (self === "passage") return isEmptySet(below) ? undefined : below;
  return isEmptySet(below) || "." in below ? below : { ".": {}, ...below };
}

/** What lies below a node, without the node itself. */
export function below(node: FieldSet): FieldSet {
  if (!("." in node)) return node;
  const { ".": _, ...rest } = node;
  return rest;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmptySet(b)) return a;
  if (isEmptySet(a)) return b;
  const merged: FieldSet = { ...a };
  for (const key of Object.keys(b)) {
    if (key === ".") continue;
    const [left, right] = [a[key] as FieldSet | undefined, b[key] as FieldSet];
    merged[key] = left === undefined ? right : unionOfNodes(left, right);
  }
  return merged;
}

/** The same for nodes inside a set, which may be members themselves. */
export function unionOfNodes(a: FieldSet, b: FieldSet): FieldSet {
  const self = isMember(a) || isMember(b) ? "member" : "passage";
  return nodeOf(union(below(a), below(b)), self) as FieldSet;
}

/** What is in `a` and not in `b`; a path in `b` takes away itself, not what lies below it. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return filter(a, b, differenceNode);
}

function differenceNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a;
  const self = isMember(a) && !isMember(b) ? "member" : "passage";
  const rest = filter(a, b, differenceNode);
  return self === "member" && rest === a ? a : nodeOf(below(rest), self);
}

/** What is in `a` and neither in `b` nor below anything in `b`. */
export function differenceDeep(a: FieldSet, b: FieldSet): FieldSet {
  return filter(a, b, (node, other) => {
    if (other === undefined) return node;
    if (isMember(other)) return undefined;
    return nodeOf(below(differenceDeep(node, other)), isMember(node) ? "member" : "passage");
  });
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return filter(a, b, intersectionNode);
}

function intersectionNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return undefined;
  return nodeOf(below(filter(a, b, intersectionNode)), isMember(a) && isMember(b) ? "member" : "passage");
}

type Keep = (node: FieldSet, other: FieldSet | undefined) => FieldSet | undefined;

/** `a` with each child replaced by what is kept of it; `a` itself when all of it is. */
function filter(a: FieldSet, b: FieldSet, keep: Keep): FieldSet {
  let kept: FieldSet | undefined;
  for (const key of Object.keys(a)) {
    if (key === ".") continue;
    const node = a[key] as FieldSet;
    const left = keep(node, b[key] as FieldSet | undefined);
    if (left === node) continue;
    kept ??= { ...a };
    if (left === undefined) delete kept[key];
    else kept[key] = left;
  }
  return kept ?? a;
}

/** The set of one path. */
export function setOfPath(path: readonly string[]): FieldSet {
  let node: FieldSet = {};
  for (const step of path.toReversed()) node = { [step]: node };
  return node;
}

export function hasPath(set: FieldSet, path: readonly string[]): boolean {
  let node: FieldSet | undefined = set;
  for (const step of path) node = node?.[step] as FieldSet | undefined;
  return node !== undefined && path.length > 0 && isMember(node);
}

/** All paths of a set as people read them, in the order of a real server: a node's own members before what lies deeper. */
export function formatPaths(set: FieldSet, prefix = ""): string[] {
  const keys = Object.keys(set)
    .filter((key) => key !== ".")
    .sort(compareElements);
  const own = keys.filter((key) => isMember(set[key] as FieldSet)).map((key) => prefix + formatElement(key));
  return [...own, ...keys.flatMap((key) => formatPaths(set[key] as FieldSet, prefix + formatElement(key)))];
}

/** The set with its steps in the order of a real server, so that equal sets have equal texts. The same set where it is. */
export function sortedSet(set: FieldSet): FieldSet {
  const keys = Object.keys(set);
  if (keys.length === 0) return set;
  let isSame = isInOrder(keys);
  if (!isSame) keys.sort(compareElements);
  const nodes = keys.map((key) => {
    const node = set[key] as FieldSet;
    const sorted = sortedSet(node);
    if (sorted !== node) isSame = false;
    return sorted;
  });
  if (isSame) return set;
  const sorted: FieldSet = {};
  for (let at = 0; at < keys.length; at++) sorted[keys[at] as string] = nodes[at] as FieldSet;
  return sorted;
}

function isInOrder(keys: readonly string[]): boolean {
  for (let at = 1; at < keys.length; at++) {
    if (compareElements(keys[at - 1] as string, keys[at] as string) > 0) return false;
  }
  return true;
}
