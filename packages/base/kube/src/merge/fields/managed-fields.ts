import { deepEqual, formatTime, type Instant, isObject, type Json, parseTime, setOwn } from "@trivium/std";
import type { ManagedFields } from "../../object.ts";
import { type FieldSet, isEmptySet, noFields, sortedSet } from "./field-set.ts";
import { canonicalElement } from "./path-element.ts";

/** One `managedFields` entry at work: who, and which fields. */
export interface Manager {
  readonly entry: ManagedFields;
  readonly fields: FieldSet;
}

/** The managers of an object by their identity: name, operation and subresource, and for updates the version too. */
export type Managers = Map<string, Manager>;

export function identityOf({ manager, operation, apiVersion, subresource }: ManagedFields): string {
  const parts = [manager ?? "", operation ?? "", operation === "Apply" ? "" : (apiVersion ?? ""), subresource ?? ""];
  return parts.join("\u0000");
}

/** The managers that entries speak of; undefined when one of them cannot be read. */
export function parseManagers(entries: readonly ManagedFields[]): Managers | undefined {
  const managers: Managers = new Map();
  for (const entry of entries) {
    if (!isReadable(entry)) return undefined;
    managers.set(identityOf(entry), { entry, fields: entry.fieldsV1 ?? noFields });
  }
  return managers;
}

function isReadable(entry: ManagedFields): boolean {
  if (entry.operation !== "Apply" && entry.operation !== "Update") return false;
  return entry.fieldsType === "FieldsV1" && typeof entry.apiVersion === "string" && entry.apiVersion !== "";
}

/** Entries from outside in the form that the algebra relies on; undefined when they cannot be read. */
export function canonicalEntries(entries: readonly ManagedFields[]): ManagedFields[] | undefined {
  try {
    return entries.map((entry) => ({ ...entry, fieldsV1: canonicalSet(entry.fieldsV1 ?? {}) }));
  } catch {
    return undefined;
  }
}

function canonicalSet(node: Json): FieldSet {
  if (!isObject(node)) throw new Error("a field set consists of objects");
  const set: FieldSet = {};
  for (const key of Object.keys(node)) {
    const element = key === "." ? key : canonicalElement(key);
    // A kind of step that is not known is dropped, as a real server does: a later version may know it.
    if (element !== undefined) setOwn(set, element, element === "." ? {} : canonicalSet(node[key] as Json));
  }
  return set;
}

/** A manager with other fields, stamped where a time is given. */
export function withFields(manager: Manager, fields: FieldSet): Manager {
  return fields === manager.fields ? manager : { ...manager, fields };
}

export function stamped(entry: ManagedFields, now: Instant): ManagedFields {
  return { ...entry, time: formatTime(now) };
}

/** The entries to store, in the order of a real server. Managers without fields are dropped. */
export function formatManagers(managers: Managers): ManagedFields[] {
  const entries: ManagedFields[] = [];
  for (const { entry, fields } of managers.values()) if (!isEmptySet(fields)) entries.push(formatEntry(entry, fields));
  return entries.sort(compareEntries);
}

function formatEntry(entry: ManagedFields, fields: FieldSet): ManagedFields {
  if (fields === entry.fieldsV1) return entry;
  const { manager, operation, apiVersion, time, subresource } = entry;
  return {
    ...(manager === undefined ? {} : { manager }),
    ...(operation === undefined ? {} : { operation }),
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(time === undefined ? {} : { time }),
    fieldsType: "FieldsV1",
    fieldsV1: sortedSet(fields),
    ...(subresource === undefined || subresource === "" ? {} : { subresource }),
  };
}

function compareEntries(a: ManagedFields, b: ManagedFields): number {
  return (
    compareText(a.operation, b.operation) ||
    secondsOf(a) - secondsOf(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const compareText = (a = "", b = "") => (a < b ? -1 : a > b ? 1 : 0);

/** No time at all sorts as the epoch. */
export function secondsOf({ time }: ManagedFields): number {
  return time === undefined || time === null ? 0 : Math.floor((parseTime(time) ?? 0) / 1000);
}

/**
 * The entries of `next` with the times of `live` where nothing but times changed, so that writing an object as it is
 * changes nothing.
 */
export function keepTimes(live: readonly ManagedFields[], next: ManagedFields[]): ManagedFields[] {
  const timeless = (entries: readonly ManagedFields[]) => entries.map(({ time: _, ...rest }) => rest);
  return deepEqual(timeless(live), timeless(next)) ? [...live] : next;
}
