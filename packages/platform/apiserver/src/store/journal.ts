import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { type Entry, noOwners, type Row } from "./entry.ts";
import type { Key, StoreEvent } from "./store.ts";

/** Where history stands: `compacted` is what watches are told, `swept` how far the rows are really gone. */
export interface Marks {
  readonly compacted: number;
  readonly swept: number;
}

/** The log in the database: every statement that the store runs. */
export class Journal {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #history: StatementSync;
  readonly #dropReplaced: StatementSync;
  readonly #dropDeletions: StatementSync;
  readonly #setMark: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#insert = database.prepare("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    this.#history = database.prepare(`
      SELECT now.*, old.uid AS oldUid, old.labels AS oldLabels, old.value AS oldValue
      FROM log AS now LEFT JOIN log AS old ON old.rv = now.prev
      WHERE now.rv > ? AND now.rv <= ? AND now.resource = ? ORDER BY now.rv`);
    this.#dropReplaced = database.prepare(
      "DELETE FROM log WHERE rv IN (SELECT prev FROM log WHERE rv > ? AND rv <= ? AND prev > 0)",
    );
    this.#dropDeletions = database.prepare("DELETE FROM log WHERE rv > ? AND rv <= ? AND op = 'delete'");
    this.#setMark = database.prepare("UPDATE mark SET revision = ? WHERE name = ?");
  }

  /** Stores all rows or none, and returns when they are on the disk. */
  append(rows: readonly Row[]): void {
    this.#transact(() => {
      for (const row of rows) this.#insert.run(...columnsOf(row));
    });
  }

  /** Events of one resource with revisions in (after, upTo], each with the state before it. */
  history(resource: string, after: number, upTo: number): StoreEvent[] {
    return this.#history.all(after, upTo, resource).map(eventOf);
  }

  /**
   * Drops what the changes in (from, to] made obsolete: the states they replaced, and deletions themselves. The newest
   * state of every object up to `to` stays, because a later change names it as the state before.
   */
  sweep(from: number, to: number, compacted: number): void {
    // Losing a sweep in a power cut is harmless, so it need not wait for the disk; the next append syncs it along.
    this.#database.exec("PRAGMA synchronous = NORMAL");
    try {
      this.#transact(() => {
        this.#dropReplaced.run(from, to);
        this.#dropDeletions.run(from, to);
        this.#setMark.run(compacted, "compacted");
        this.#setMark.run(to, "swept");
      });
    } finally {
      this.#database.exec("PRAGMA synchronous = FULL");
    }
  }

  close(): void {
    this.#database.close();
  }

  #transact(work: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      // Some failures (a full disk) have rolled back already.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Everything a store needs to know when it opens. */
export interface Contents {
  readonly entries: Entry[];
  readonly marks: Marks;
  readonly newest: number;
}

/** Reads the current objects; throws when a row is damaged. */
export function readContents(database: DatabaseSync): Contents {
  const marks = readMarks(database);
  const newest = Number(database.prepare("SELECT max(rv) AS rv FROM log").get()!.rv ?? 0);
  const rows = database.prepare(
    "SELECT * FROM log WHERE op = 'put' AND rv NOT IN (SELECT prev FROM log WHERE prev > 0) ORDER BY rv",
  );
  const shared = new Map<string, string>();
  const entries: Entry[] = [];
  for (const row of rows.iterate()) {
    const entry = entryOf(row, shared);
    if (sumOf(row) !== row.sum) throw new Error(`the row of revision ${entry.revision} is damaged`);
    entries.push(entry);
  }
  return { entries, marks, newest: Math.max(newest, marks.compacted) };
}

function readMarks(database: DatabaseSync): Marks {
  const rows = database.prepare("SELECT name, revision FROM mark").all();
  const revisionOf = (name: string): number => {
    const row = rows.find((one) => one.name === name);
    if (row === undefined) throw new Error(`the mark ${name} is missing`);
    return Number(row.revision);
  };
  return { compacted: revisionOf("compacted"), swept: revisionOf("swept") };
}

type Columns = Record<string, SQLOutputValue>;

function columnsOf({ op, entry, before }: Row): SQLInputValue[] {
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

function entryOf(row: Columns, shared: Map<string, string>): Entry {
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

function eventOf(row: Columns): StoreEvent {
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

function sumOf({ rv, resource, namespace, name, op, prev, uid, labels, owners, value }: Columns): number {
  const front = crc32(`${rv} ${resource}/${namespace}/${name} ${op} ${prev} ${uid} ${labels} ${owners}`);
  return crc32(String(value), front);
}
