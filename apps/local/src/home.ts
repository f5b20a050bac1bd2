import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { HostRoot } from "@trivium/node";
import { Refusal } from "@trivium/std";
import type { DialectOptions } from "./dialect-options.ts";

/** Where the control plane of one machine keeps its things. */
export interface Home {
  readonly path: string;
  /** What the API server stores. */
  readonly data: string;
  /** Certificates and tokens. */
  readonly identity: string;
  readonly kubeconfig: string;
  /** Who runs here, and on which ports; there only while it runs. */
  readonly runFile: string;
}

/** What `run.json` says, for tools that look for a running control plane. */
export interface RunRecord {
  readonly pid: number;
  readonly startedAt: string;
  readonly url: string;
  readonly kubeconfig: string;
  readonly ports: {
    readonly api: number;
    readonly gateway: number;
    readonly metrics: number;
    /** Left out where no dashboard is served. */
    readonly dashboard?: number;
  };
  /** Names of the dialects that run. */
  readonly dialects: readonly string[];
  /** With which the dialects decide. */
  readonly options: DialectOptions;
  /** Folders whose files models can name, and where they really are. */
  readonly folders: readonly HostRoot[];
}

/** Whether nothing was ever kept there. A home in use is better told by who holds it than by its ports. */
export const isNewHome = (folder: string): boolean => !existsSync(join(resolve(folder), "data"));

export function openHome(folder: string): Home {
  if (folder === "") throw new Refusal("--home is empty; set it to a folder");
  const path = resolve(folder);
  try {
    makeFolder(path);
    chmodSync(path, 0o700);
    const probe = join(path, `.write-${process.pid}`);
    writeFileSync(probe, "", { mode: 0o600 });
    rmSync(probe);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new Refusal(`cannot write to ${path} (${why}); choose another folder with --home or TRIVIUM_HOME`);
  }
  return {
    path,
    data: join(path, "data"),
    identity: join(path, "identity"),
    kubeconfig: join(path, "kubeconfig"),
    runFile: join(path, "run.json"),
  };
}

/** One folder after the other: made all at once, Node never gives up on places such as /proc, where nothing can be made. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

export function writeRunRecord(home: Home, record: RunRecord): void {
  writeFileSync(`${home.runFile}.new`, `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(`${home.runFile}.new`, home.runFile);
}

/** Removes the record, unless somebody else has taken the place meanwhile. */
export function removeRunRecord(home: Home): void {
  try {
    const record = JSON.parse(readFileSync(home.runFile, "utf8")) as RunRecord;
    if (record.pid === process.pid) rmSync(home.runFile);
  } catch {
    // It is not there, or not readable: there is nothing of ours to remove.
  }
}
