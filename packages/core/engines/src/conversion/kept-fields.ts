import type { AssumedField, ReadField } from "@trivium/domain";
import type { AnyObject } from "@trivium/kube";
import { cloneJson, deepEqual, getOwn, type Json, type JsonObject, setOwn } from "@trivium/std";

/** A field without a counterpart, as the annotation holds it until the service is converted back. */
export type KeptField = Pick<ReadField, "kind" | "path" | "value">;

/** Kubernetes allows 256Ki for all annotations of an object. */
const mostBytes = 128 * 1024;

export const keptAnnotation = (dialect: string): string => `trivium.dev/kept-${dialect}`;

/** The value of the annotation; nothing where it would be too large. */
export function formatKept(fields: readonly KeptField[]): string | undefined {
  const text = JSON.stringify(fields.map(({ kind, path, value }) => ({ kind, path, value })));
  return new TextEncoder().encode(text).length > mostBytes ? undefined : text;
}

/** What an annotation holds. Anybody can write one: what is not such a field has no effect. */
export interface ParsedKept {
  readonly fields: readonly KeptField[];
  /** Entries that are no such fields; an annotation that is no list is one. */
  readonly refused: number;
}

export function parseKept(text: string | undefined): ParsedKept {
  if (text === undefined) return { fields: [], refused: 0 };
  try {
    const parsed: unknown = JSON.parse(text);
    if (!Array.isArray(parsed)) return { fields: [], refused: 1 };
    const fields = parsed.filter(isKept);
    return { fields, refused: parsed.length - fields.length };
  } catch {
    return { fields: [], refused: 1 };
  }
}

function isKept(value: unknown): value is KeptField {
  if (typeof value !== "object" || value === null || !("value" in value)) return false;
  const { kind, path } = value as Record<string, unknown>;
  const isPath = Array.isArray(path) && path.length > 1 && path.every((part) => typeof part === "string");
  return typeof kind === "string" && isPath && isUsers(path as string[]);
}

/** Names, owners and finalizers belong to an object in its cluster. */
const isUsers = ([first, second]: readonly string[]): boolean =>
  first === "spec" || (first === "metadata" && (second === "labels" || second === "annotations"));

export interface RestoreOptions {
  readonly assumed: readonly AssumedField[];
  /** Whether the API takes an object. */
  accepts(object: AnyObject): boolean;
}

export interface Restored {
  readonly objects: readonly AnyObject[];
  /** Fields that are back, each with the object that has it. */
  readonly restored: readonly { readonly field: KeptField; readonly object: AnyObject }[];
  /** Fields without a place in these objects. */
  readonly left: readonly KeptField[];
}

/**
 * Puts kept fields back into objects of their kind. A field that is set stays unchanged unless nobody stated it, and one that the API would
 * refuse is not put back: anybody can write the annotation.
 */
export function restoreKept(
  objects: readonly AnyObject[],
  kept: readonly KeptField[],
  { assumed, accepts }: RestoreOptions,
): Restored {
  const now = [...objects];
  const back: Restored["restored"][number][] = [];
  const byTarget = Map.groupBy(kept, (field) => now.findIndex(({ kind }) => isTwin(kind, field.kind)));
  for (const [at, fields] of byTarget) {
    const target = now[at];
    if (target === undefined) continue;
    const isAssumed = ({ kind, path }: KeptField): boolean =>
      assumed.some((one) => isTwin(one.kind, kind) && deepEqual(one.path, path));
    const { object, placed } = restoreInto(target, fields, { isAssumed, accepts, depth: 0 });
    now[at] = object;
    back.push(...placed.map((field) => ({ field, object })));
  }
  return { objects: now, restored: back, left: kept.filter((field) => !back.some((one) => one.field === field)) };
}

interface Restoring extends Pick<RestoreOptions, "accepts"> {
  isAssumed(field: KeptField): boolean;
  /** How many parts of the paths are the same for all fields. */
  readonly depth: number;
}

/** All fields at once, because some need others beside them; where the API refuses that, those below each part of the path apart. */
function restoreInto(
  object: AnyObject,
  fields: readonly KeptField[],
  { isAssumed, accepts, depth }: Restoring,
): { readonly object: AnyObject; readonly placed: readonly KeptField[] } {
  const changed = cloneJson(object as unknown as Json) as JsonObject;
  const placed = fields.filter((field) => place(changed, field, isAssumed(field)));
  if (accepts(changed as unknown as AnyObject)) return { object: changed as unknown as AnyObject, placed };
  if (fields.length === 1) return { object, placed: [] };
  const groups =
    depth < longestPath ? Map.groupBy(fields, ({ path }) => path[depth]) : new Map(fields.map((one) => [one, [one]]));
  return [...groups.values()].reduce<{ object: AnyObject; placed: readonly KeptField[] }>(
    (before, group) => {
      const next = restoreInto(before.object, group, { isAssumed, accepts, depth: depth + 1 });
      return { object: next.object, placed: [...before.placed, ...next.placed] };
    },
    { object, placed: [] },
  );
}

/** No path of these APIs is longer; below it each field is on its own. */
const longestPath = 24;

/** What was an object of the cluster is written for one namespace: `ClusterServingRuntime` comes back as `ServingRuntime`. */
const isTwin = (kind: string, other: string): boolean => withoutScope(kind) === withoutScope(other);

const withoutScope = (kind: string): string => kind.replace(/^(AIM)?Cluster(?=[A-Z])/, "$1");

function place(target: JsonObject, { path, value }: Pick<KeptField, "path" | "value">, replaces: boolean): boolean {
  const [key = "", ...rest] = path;
  const there = getOwn(target, key);
  if (rest.length > 0) {
    const inner = innerOf(target, key, rest);
    return inner !== undefined && place(inner.target, { path: inner.path, value }, replaces);
  }
  if (there === undefined || replaces) setOwn(target, key, value);
  else if (!Array.isArray(there)) return deepEqual(there, value);
  else if (Array.isArray(value))
    there.push(...value.filter((item) => typeof item !== "object" || !there.some((one) => deepEqual(one, item))));
  return true;
}

/** The map that a path leads into next: an item of a list by its place, a map that exists, or a new one. */
function innerOf(
  target: JsonObject,
  key: string,
  rest: readonly string[],
): { target: JsonObject; path: readonly string[] } | undefined {
  const there = getOwn(target, key);
  if (Array.isArray(there)) {
    const [index = "", ...below] = rest;
    const item = there[Number(index)];
    return isMap(item) && below.length > 0 ? { target: item, path: below } : undefined;
  }
  // The item of a list that does not exist: the object has another form now.
  if (there === undefined && /^\d+$/.test(rest[0] ?? "")) return undefined;
  if (there === undefined) setOwn(target, key, {});
  const inner = getOwn(target, key);
  return isMap(inner) ? { target: inner, path: rest } : undefined;
}

const isMap = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
