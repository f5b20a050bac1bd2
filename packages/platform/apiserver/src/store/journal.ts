import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Entry, Row } from "./entry.ts";
import type { AssertPresent } from "./presence.ts";
import { columnsOf, entryOf, eventOf, sumOf } from "./row.ts";
import type { StoreEvent } from "./store.ts";

/** Where history stands: `compacted` is what watches are told, `swept` how far the rows are really gone. */
export interface Marks {
  readonly compacted: number;
  readonly swept: number;
}

/** In pages of 8 KB. */
const trimAbove = 2048;
const trimStep = 64;

/** The log in the database: every statement that the store runs. */
export class Journal {
  readonly #database: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #history: StatementSync;
  readonly #dropReplaced: StatementSync;
  readonly #dropDeletions: StatementSync;
  readonly #setMark: StatementSync;
  readonly #patchMark: StatementSync;
  readonly #space: StatementSync;
  readonly #assertPresent: AssertPresent;

  constructor(database: DatabaseSync, assertPresent: AssertPresent = () => undefined) {
    this.#database = database;
    this.#assertPresent = assertPresent;
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
    this.#patchMark = database.prepare("UPDATE mark SET revision = revision");
    this.#space = database.prepare(`
      SELECT freelist_count AS free, page_count AS pages FROM pragma_freelist_count(), pragma_page_count()`);
  }

  /** Stores all rows or none, and returns when they are on the disk. */
  append(rows: readonly Row[]): void {
    this.#assertPresent();
    this.#transact(() => {
      for (const row of rows) this.#insert.run(...columnsOf(row));
    });
  }

  /** Throws when a write would: writes a mark as it is. */
  tryWrite(): void {
    this.#assertPresent();
    this.#transact(() => this.#patchMark.run());
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
    this.#transact(() => {
      this.#dropReplaced.run(from, to);
      this.#dropDeletions.run(from, to);
      this.#setMark.run(compacted, "compacted");
      this.#setMark.run(to, "swept");
    });
  }

  /**
   * Gives a little disk space back when more than half of the file is empty (small files are left alone, they fill again
   * soon). Returns whether there is more to give.
   */
  trim(): boolean {
    const { free, pages } = this.#readSpace();
    if (free < trimAbove || free * 2 < pages) return false;
    this.#database.exec(`PRAGMA incremental_vacuum(${trimStep})`);
    return this.#readSpace().free < free;
  }

  close(): void {
    this.#database.close();
  }

  #readSpace(): { free: number; pages: number } {
    const { free, pages } = this.#space.get()!;
    return { free: Number(free), pages: Number(pages) };
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
