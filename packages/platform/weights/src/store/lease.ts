import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Json, Millis } from "@trivium/std";
import { codeOf, diskFault, WeightsError } from "../fault.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import { readRecord } from "./write-whole.ts";

export interface LeaseRule {
  readonly beatMs: Millis;
  /** A holder that shows no sign of life for so long has lost it. */
  readonly expireMs: Millis;
}

export const defaultLease: LeaseRule = { beatMs: 2_000, expireMs: 20_000 };

/** What a lease file says. A beat only ever grows, so that a change can be seen without comparing clocks of two machines. */
export interface LeaseState {
  readonly generation: number;
  readonly beat: string;
  readonly isReleased: boolean;
  /** Where the holder lives and what number it has there, to see at once that it was killed. */
  readonly process: { readonly realm: string; readonly pid: number } | undefined;
  readonly note: Json;
}

/**
 * The right to do one thing, held by at most one process of all that share a volume, on whatever node.
 *
 * A lease is the file `<name>.<generation>` with the highest generation. Whoever finds it released or dead creates the next
 * generation, which succeeds for one process only, even on network file systems. A holder that was taken for dead finds a
 * higher generation at its next beat and stops.
 */
export class Lease {
  readonly #path: string;
  readonly #id = randomUUID();
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #beats = 0;
  #note: Json = null;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, rule: LeaseRule, isTop: () => Promise<boolean>) {
    this.#path = path;
    this.#timer = setInterval(() => {
      this.#writing = this.#writing.then(() => this.#beat(isTop)).catch(() => {});
    }, rule.beatMs);
    this.#timer.unref();
  }

  /** Takes the lease if it is free, or if `dead` is the state that was judged dead. */
  static async tryTake(
    directory: string,
    name: string,
    rule: LeaseRule,
    dead?: LeaseState,
  ): Promise<Lease | undefined> {
    try {
      await makeFolder(directory);
      const top = await readLease(directory, name);
      const isFree =
        top === undefined ||
        top.isReleased ||
        (dead !== undefined && top.generation === dead.generation && top.beat === dead.beat);
      if (!isFree) return undefined;
      const generation = (top?.generation ?? 0) + 1;
      const path = join(directory, `${name}.${generation}`);
      await (await open(path, "wx")).close();
      if ((await generations(directory, name)).at(-1) !== generation) {
        await rm(path, { force: true });
        return undefined;
      }
      const lease = new Lease(path, rule, async () => (await generations(directory, name)).at(-1) === generation);
      await lease.#write(false);
      await removeOlder(directory, name, generation);
      return lease;
    } catch (error) {
      if (codeOf(error) === "EEXIST") return undefined;
      throw diskFault(error, directory);
    }
  }

  /** Aborts when the lease was lost to another process. */
  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  /** What the next beats tell those who follow. */
  note(note: Json): void {
    this.#note = note;
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    // On a full disk even this may fail; then our death or our silence tells.
    if (!this.#lost.signal.aborted) await this.#write(true).catch(() => {});
  }

  async #beat(isTop: () => Promise<boolean>): Promise<void> {
    if (await isTop()) return this.#write(false);
    clearInterval(this.#timer);
    this.#lost.abort(new WeightsError("unreachable", "LeaseLost", `${this.#path}: another process took over`));
  }

  async #write(isReleased: boolean): Promise<void> {
    const beat = `${this.#id}-${++this.#beats}`;
    const fresh = `${this.#path}-${this.#id}.new`;
    await writeFile(fresh, JSON.stringify({ beat, isReleased, realm: realm(), pid: process.pid, note: this.#note }));
    await rename(fresh, this.#path);
  }
}

export async function readLease(directory: string, name: string): Promise<LeaseState | undefined> {
  const generation = (await generations(directory, name)).at(-1);
  if (generation === undefined) return undefined;
  const record = (await readRecord(join(directory, `${name}.${generation}`))) ?? {};
  const { beat, isReleased, realm: home, pid, note } = record;
  return {
    generation,
    beat: typeof beat === "string" ? beat : "",
    isReleased: isReleased === true,
    process: typeof home === "string" && typeof pid === "number" ? { realm: home, pid } : undefined,
    note: (note ?? null) as Json,
  };
}

/** Was the holder a process of this very machine and is it gone? Then there is no need to wait for its silence. */
export function isKilled({ process: holder }: LeaseState): boolean {
  if (holder === undefined || holder.realm === "" || holder.realm !== realm()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}

async function generations(directory: string, name: string): Promise<number[]> {
  const files = await readdir(directory).catch(() => []);
  return files
    .filter((file) => file.startsWith(`${name}.`) && /^\d{1,15}$/.test(file.slice(name.length + 1)))
    .map((file) => Number(file.slice(name.length + 1)))
    .sort((a, b) => a - b);
}

async function removeOlder(directory: string, name: string, generation: number): Promise<void> {
  const older = (await generations(directory, name)).filter((each) => each < generation);
  await Promise.all(older.map((each) => rm(join(directory, `${name}.${each}`), { force: true })));
}

/** Process numbers mean something only within one boot and one process namespace. */
function realm(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}
