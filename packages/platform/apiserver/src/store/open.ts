import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDatabaseFile, full, inspectDatabaseFile, isDiskFull, openDatabaseFile } from "./database-file.ts";
import { layOut } from "./format.ts";
import { type Hold, holdDirectory } from "./holder.ts";
import { Journal, readContents } from "./journal.ts";
import { LogStore, type StoreOptions } from "./log-store.ts";
import { watchPresence } from "./presence.ts";
import { type Store, StoreRefused } from "./store.ts";

export interface OpenOptions extends StoreOptions {
  /** Created with mode 0700 when it is not there. */
  readonly directory: string;
  /** Told to whoever else wants the directory. */
  readonly port?: number | undefined;
}

/** Opens the store of a data directory, or throws `StoreRefused` and leaves everything in it as it was. */
export async function openStore(options: OpenOptions): Promise<Store> {
  const { port } = options;
  const directory = resolve(options.directory);
  const hold = attempt(directory, () => {
    makeDirectory(directory);
    return holdDirectory(directory, port);
  });
  try {
    return attempt(directory, () => openHeld({ ...options, directory }, hold));
  } catch (error) {
    hold.release();
    throw error;
  }
}

/** The same store without a disk, for tests. */
export function openMemoryStore(options: StoreOptions = {}): Store {
  const database = new DatabaseSync(":memory:");
  layOut(database);
  return new LogStore({ journal: new Journal(database), contents: readContents(database) }, options);
}

function openHeld(options: OpenOptions, hold: Hold): Store {
  const path = join(options.directory, "store.db");
  if (!existsSync(path)) {
    if (existsSync(`${path}-wal`)) {
      const message = `${path} is missing but its log ${path}-wal exists; restore both, or choose another directory`;
      throw new StoreRefused("damaged", message);
    }
    createDatabaseFile(path);
  }
  // SQLite would open a file that it may not write for reading, and fail at the first write.
  accessSync(path, constants.W_OK);
  const contents = inspectDatabaseFile(path);
  const journal = new Journal(openDatabaseFile(path), watchPresence(path));
  return new LogStore({ journal, contents, release: () => hold.release() }, options);
}

/** By hand, because the recursive mode of `mkdirSync` never ends where a file system answers ENOENT to every mkdir, as /proc does. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

function attempt<T>(directory: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof StoreRefused) throw error;
    if (isDiskFull(error)) throw full(directory, error);
    const why = error instanceof Error ? error.message : String(error);
    const message = `cannot store data in ${directory}: ${why}; make it a directory that this user can write to, or choose another one`;
    throw new StoreRefused("unwritable", message, error);
  }
}
