import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { applicationId, formatVersion, layOut } from "./format.ts";
import { type Contents, readContents } from "./journal.ts";
import { StoreRefused } from "./store.ts";
import { faultOfWriteAheadLog } from "./write-ahead-log.ts";

const magic = "SQLite format 3\0";

/** Makes a new store beside its place and moves it there whole, so that a store that exists is always complete. */
export function createDatabaseFile(path: string): void {
  const draft = `${path}.new`;
  for (const leftover of [draft, `${draft}-journal`, `${draft}-wal`]) rmSync(leftover, { force: true });
  writeFileSync(draft, "", { flag: "wx", mode: 0o600 });
  const database = new DatabaseSync(draft);
  layOut(database);
  database.exec("PRAGMA journal_mode = WAL");
  database.close();
  renameSync(draft, path);
  syncDirectory(dirname(path));
}

/**
 * Reads a store through a connection that cannot write, so that whatever is found wrong, the files stay as they are.
 * Must be called with the directory held.
 */
export function inspectDatabaseFile(path: string): Contents {
  inspectHeader(path);
  inspectWriteAheadLog(path);
  const sideFiles = [`${path}-wal`, `${path}-shm`].filter((file) => !existsSync(file));
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    inspectFormat(database, path);
    inspectPages(database);
    return readContents(database);
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    throw isDiskFull(error) ? full(dirname(path), error) : damaged(path, error);
  } finally {
    database.close();
    for (const file of sideFiles) rmSync(file, { force: true });
  }
}

/** The connection that the store works with. Its own lock is a second guard, and spares the shared-memory file. */
export function openDatabaseFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec(`
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -2048;
    PRAGMA wal_autocheckpoint = 512;
    PRAGMA journal_size_limit = 8388608;
  `);
  return database;
}

/** Who wrote the file is told by its first page, which is never rewritten in part: the store was moved here whole. */
function inspectHeader(path: string): void {
  const header = readStart(path, 100);
  if (header.length === 0) throw damaged(path, new Error("it is empty"));
  if (header.toString("latin1", 0, magic.length) !== magic) throw foreign(path);
  if (header.length < 100) throw damaged(path, new Error("it ends within its header"));
  if (header.readUInt32BE(68) !== applicationId) throw foreign(path);
}

function inspectWriteAheadLog(path: string): void {
  const log = `${path}-wal`;
  const fault = existsSync(log) ? faultOfWriteAheadLog(log) : undefined;
  if (fault !== undefined) throw damaged(path, new Error(fault));
}

function readStart(path: string, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(length);
    return start.subarray(0, readSync(file, start, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

function inspectFormat(database: DatabaseSync, path: string): void {
  const version = Number(pragma(database, "user_version"));
  if (version === formatVersion) return;
  if (version < formatVersion) throw new Error(`unknown format ${version}`);
  const message =
    `${path} has format ${version}, but this program supports format ${formatVersion} only; ` +
    "use the newer program that wrote it, or choose another directory";
  throw new StoreRefused("newer", message);
}

function inspectPages(database: DatabaseSync): void {
  const outcome = pragma(database, "quick_check(1)");
  if (outcome !== "ok") throw new Error(String(outcome));
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}

function foreign(path: string): StoreRefused {
  const message = `${path} is not a store of this program and was not changed; move it, or choose another directory`;
  return new StoreRefused("foreign", message);
}

/** Of the system, or of SQLite, which also needs space for the index of a log that it only reads. */
export function isDiskFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === "ENOSPC" || code === "EDQUOT" || errcode === sqliteFull || errcode === sqliteNoSpaceForIndex;
}

const sqliteFull = 13;
const sqliteNoSpaceForIndex = 4874;

export function full(directory: string, cause: unknown): StoreRefused {
  const message = `cannot store data in ${directory}: no space left on its disk; free some space, or choose another directory`;
  return new StoreRefused("unwritable", message, cause);
}

function damaged(path: string, cause: unknown): StoreRefused {
  const why = cause instanceof Error ? cause.message.replaceAll("\n", " ") : String(cause);
  const message = `${path} is damaged (${why}) and was not changed; restore it from a backup, or choose another directory`;
  return new StoreRefused("damaged", message, cause);
}

function syncDirectory(directory: string): void {
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
