import { deepEqual, type JsonObject } from "@trivium/std";
import type { AnyObject, ManagedFields, ObjectMeta } from "../../object.ts";
import type { Comparison } from "../compare.ts";
import type { MergeType } from "../merge-type.ts";
import { difference, differenceDeep, type FieldSet, intersection, isEmptySet, setOfPath, union } from "./field-set.ts";
import { canonicalEntries, type Manager, type Managers, parseManagers, withFields } from "./managed-fields.ts";
import { reconciled } from "./typed-set.ts";

/** What nobody owns: the head of an object, and what only the server sets. */
const neverOwned: FieldSet = {
  "f:apiVersion": {},
  "f:kind": {},
  "f:metadata": {
    ".": {},
    "f:name": {},
    "f:namespace": {},
    "f:creationTimestamp": {},
    "f:selfLink": {},
    "f:uid": {},
    "f:clusterName": {},
    "f:generation": {},
    "f:managedFields": {},
    "f:resourceVersion": {},
  },
};

export const withoutHead = (fields: FieldSet) => difference(fields, neverOwned);

/** Paths that a write through this resource cannot change (`status`, `metadata.labels`), as the set of them. */
export function resetSet(paths: readonly string[] | undefined): FieldSet | undefined {
  if (paths === undefined || paths.length === 0) return undefined;
  return paths.map((path) => setOfPath(path.split(".").map((key) => `f:${key}`))).reduce(union);
}

export function withoutReset(fields: FieldSet, reset: FieldSet | undefined): FieldSet {
  return reset === undefined ? fields : differenceDeep(fields, reset);
}

export function comparisonWithoutReset(comparison: Comparison, reset: FieldSet | undefined): Comparison {
  if (reset === undefined) return comparison;
  return { changed: differenceDeep(comparison.changed, reset), removed: differenceDeep(comparison.removed, reset) };
}

/** An object without its managed fields: they are the account, not what is accounted for. */
export function withoutManagedFields(object: AnyObject): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata ?? ({} as ObjectMeta);
  return { ...object, metadata } as unknown as JsonObject;
}

/**
 * Managers as the schema of today sees their fields. Those who wrote the object as one of another group are forgotten, as a
 * real server does: their fields have other names.
 */
export function reconciledManagers(type: MergeType, managers: Managers, apiVersion: string): Managers {
  const next: Managers = new Map();
  for (const [identity, manager] of managers) {
    if (groupOf(manager.entry.apiVersion ?? "") !== groupOf(apiVersion)) continue;
    next.set(identity, withFields(manager, reconciled(type, manager.fields)));
  }
  return next;
}

const groupOf = (apiVersion: string) => apiVersion.slice(0, Math.max(0, apiVersion.indexOf("/")));

/** Each manager other than `self` with those of its fields that a change takes from it. */
export function contested(managers: Managers, { changed }: Comparison, self?: string): Manager[] {
  const found: Manager[] = [];
  if (isEmptySet(changed)) return found;
  for (const [identity, manager] of managers) {
    if (identity === self) continue;
    const fields = intersection(manager.fields, changed);
    if (!isEmptySet(fields)) found.push({ ...manager, fields });
  }
  return found;
}

/** The managers after a change by `self`: the others lose what changed and what is gone. */
export function afterChange(managers: Managers, { changed, removed }: Comparison, self?: string): Managers {
  const next: Managers = new Map();
  for (const [identity, manager] of managers) {
    const fields = identity === self ? manager.fields : difference(difference(manager.fields, changed), removed);
    if (!isEmptySet(fields)) next.set(identity, withFields(manager, fields));
  }
  return next;
}

/** The entries a write starts from: those that came with the object where they can be read, else those of the live one. */
export function entriesToStartFrom({ live, next, subresource, type }: Start): ManagedFields[] {
  const stored = live?.metadata.managedFields ?? [];
  const given = next.metadata.managedFields;
  if (subresource || given === undefined || given === null || given === stored) return stored;
  // An empty list does not reach the account of a custom resource: a real server reads it as none given.
  if (given.length === 0) return type.map?.standing === undefined ? stored : [];
  if (isOneEmptyEntry(given)) return [];
  if (deepEqual(given, stored)) return stored;
  const canonical = canonicalEntries(given);
  return canonical !== undefined && parseManagers(canonical) !== undefined ? canonical : stored;
}

export interface Start {
  readonly live?: AnyObject | undefined;
  readonly next: AnyObject;
  readonly subresource?: string | undefined;
  readonly type: MergeType;
}

/** One empty entry asks for ownership to be forgotten. */
const isOneEmptyEntry = ([only, ...others]: readonly ManagedFields[]) =>
  others.length === 0 && only !== undefined && Object.keys(only).length === 0;
