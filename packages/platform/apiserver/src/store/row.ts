import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import { crc32 } from "node:zlib";
import { type Entry, noOwners, type Row } from "./entry.ts";
import type { Key, StoreEvent } from "./store.ts";

/** A row of the log as SQLite gives it. */
export type Columns = Record<string, SQLOutputValue>;

export function columnsOf({ op, entry, before }: Row): SQLInputValue[] {
  const columns = {
    rv: entry.revision,
    resource: entry.key.resource,
    namespace: entry.key.namespace,
    name: entry.key.name,
    op,
    prev: before?.revision ?? 0,
    uid: entry.uid,
    labels: entry.labels === undefined ? null : JSON.stringify(entry.labels),
    owners: entry.owners.length === 0 ? null : JSON.stringify(entry.owners),
  };
  return [...Object.values(columns), sumOf({ ...columns, value: entry.text }), entry.text];
}

export function entryOf(row: Columns, shared: Map<string, string>): Entry {
  const key = {
    resource: share(shared, row.resource),
    namespace: share(shared, row.namespace),
    name: String(row.name),
  };
  return {
    key,
    revision: Number(row.rv),
    uid: String(row.uid),
    labels: labelsOf(row.labels),
    text: String(row.value),
    owners: typeof row.owners === "string" ? (JSON.parse(row.owners) as string[]) : noOwners,
  };
}

/** Thousands of rows name the same few resources and namespaces: one string each is enough. */
function share(shared: Map<string, string>, value: SQLOutputValue | undefined): string {
  const text = String(value);
  const known = shared.get(text);
  if (known !== undefined) return known;
  shared.set(text, text);
  return text;
}

function labelsOf(value: SQLOutputValue | undefined): Record<string, string> | undefined {
  return typeof value === "string" ? (JSON.parse(value) as Record<string, string>) : undefined;
}

export function eventOf(row: Columns): StoreEvent {
  const key: Key = { resource: String(row.resource), namespace: String(row.namespace), name: String(row.name) };
  const revision = Number(row.rv);
  const object = { key, revision, uid: String(row.uid), labels: labelsOf(row.labels), text: String(row.value) };
  if (row.prev === 0) return { type: "ADDED", revision, object, previous: undefined };
  const previous = {
    key,
    revision: Number(row.prev),
    uid: String(row.oldUid),
    labels: labelsOf(row.oldLabels),
    text: String(row.oldValue),
  };
  return { type: row.op === "delete" ? "DELETED" : "MODIFIED", revision, object, previous };
}

export function sumOf({ rv, resource, namespace, name, op, prev, uid, labels, owners, value }: Columns): number {
  const front = crc32(`${rv} ${resource}/${namespace}/${name} ${op} ${prev} ${uid} ${labels} ${owners}`);
  return crc32(String(value), front);
}
