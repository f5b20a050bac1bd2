import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefused } from "./store.ts";

/** The process that uses a data directory, as the next one is told. */
export interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly startedAt: string;
  readonly port?: number | undefined;
}

export interface Hold {
  release(): void;
}

/**
 * Takes a data directory for this process. The lock is one of the operating system on `lock.db`, held by an open
 * transaction on that empty database, so it ends with the process however that ends. `holder.json` only says who it is.
 */
export function holdDirectory(directory: string, port?: number): Hold {
  const lock = takeLock(directory);
  const card = join(directory, "holder.json");
  const holder: Holder = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString(), port };
  try {
    writeFileSync(`${card}.new`, `${JSON.stringify(holder)}\n`, { mode: 0o600 });
    renameSync(`${card}.new`, card);
  } catch (error) {
    lock.close();
    throw error;
  }
  return {
    release() {
      rmSync(card, { force: true });
      lock.close();
    },
  };
}

function takeLock(directory: string): DatabaseSync {
  const path = join(directory, "lock.db");
  createPrivately(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return lock;
  } catch (error) {
    lock.close();
    if (isBusy(error)) throw new StoreRefused("held", describeHolder(directory), error);
    throw error;
  }
}

/** Never opens a file that exists: closing it again would drop locks that this process may hold on it. */
function createPrivately(path: string): void {
  try {
    writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function isBusy(error: unknown): boolean {
  const sqliteBusy = 5;
  return error instanceof Error && "errcode" in error && error.errcode === sqliteBusy;
}

function describeHolder(directory: string): string {
  const advice = "stop it, or choose another directory";
  try {
    const { pid, host, startedAt, port } = JSON.parse(readFileSync(join(directory, "holder.json"), "utf8")) as Holder;
    const where = port === undefined ? "" : `, port ${port}`;
    return `${directory} is in use by process ${pid} on ${host} (since ${startedAt}${where}); ${advice}`;
  } catch {
    return `${directory} is in use by another process; ${advice}`;
  }
}
