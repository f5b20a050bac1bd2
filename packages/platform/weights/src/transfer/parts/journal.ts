import { type FileHandle, open, readFile, rename, rm } from "node:fs/promises";
import type { ByteRange } from "../remote-file.ts";
import { RangeSet } from "./range-set.ts";

/**
 * What a half-fetched file is a part of. Bytes of two identities are never mixed. `total` is null where the length is not known.
 */
export interface PartIdentity {
  readonly version: string | null;
  readonly total: number | null;
}

/**
 * Remembers beside a partial file which bytes of it are good, so that a killed download goes on where it was.
 *
 * It is a log: a line `w <start> <end>` follows each finished write. A line `m <n>` stands before a sync of the data and `s <n>`
 * after it, so what was noted before the mark is on disk. After kill -9 on a running machine the page cache is intact and
 * every whole line is true: nothing is lost. After a power cut, or when a shared volume is read on another node, only what
 * stands before a mark that was reached counts. The boot id in the head tells the two apart. A torn last line has no newline
 * and is dropped.
 */
export class Journal {
  readonly path: string;
  #handle: FileHandle;
  #marks = 0;
  #lines = "";
  #next: Promise<void> | undefined;
  #last: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#handle = handle;
  }

  /** Starts a log that says `ranges` are good; it replaces an older one in one step. */
  static async begin(path: string, identity: PartIdentity, ranges: RangeSet): Promise<Journal> {
    const fresh = `${path}.new`;
    const handle = await open(fresh, "w");
    try {
      const head = JSON.stringify({ journal: 1, boot: await bootId(), ...identity });
      const lines = ranges.ranges.map(({ start, end }) => `w ${start} ${end}\n`).join("");
      await handle.write(`${head}\n${lines}m 0\ns 0\n`);
      await handle.datasync();
      await rename(fresh, path);
      return new Journal(path, handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Lines that come while one write is under way go together in the next one. */
  wrote({ start, end }: ByteRange): Promise<void> {
    this.#lines += `w ${start} ${end}\n`;
    this.#next ??= this.#last.then(() => this.#writeLines());
    return this.#next;
  }

  async #writeLines(): Promise<void> {
    const lines = this.#lines;
    this.#lines = "";
    const writing = this.#handle.write(lines).then(() => {});
    this.#next = undefined;
    // The next write waits for this one, whatever becomes of it.
    this.#last = writing.catch(() => {});
    return writing;
  }

  /** Runs `sync`, which must bring the data to disk, and notes what it has made safe. Writes may go on meanwhile. */
  async context(sync: () => Promise<void>): Promise<void> {
    const mark = ++this.#marks;
    await this.#handle.write(`m ${mark}\n`);
    await sync();
    await this.#handle.write(`s ${mark}\n`);
    await this.#handle.datasync();
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
  }
}

export interface JournalRead {
  readonly identity: PartIdentity;
  readonly ranges: RangeSet;
}

/** What the log at `path` vouches for; undefined when there is none or its head cannot be understood. */
export async function readJournal(path: string): Promise<JournalRead | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : parseJournal(text, await bootId());
}

export function parseJournal(text: string, boot: string): JournalRead | undefined {
  const lines = text.split("\n");
  lines.pop();
  const head = parseHead(lines.shift() ?? "");
  if (head === undefined) return undefined;
  const trusted = head.boot !== "" && head.boot === boot ? lines : safeLines(lines);
  const ranges = new RangeSet();
  for (const line of trusted) {
    const match = /^w (\d{1,16}) (\d{1,16})$/.exec(line);
    if (match !== null) ranges.add({ start: Number(match[1]), end: Number(match[2]) });
  }
  return { identity: { version: head.version, total: head.total }, ranges };
}

function safeLines(lines: readonly string[]): readonly string[] {
  const reached = lines.findLast((line) => line.startsWith("s "));
  return reached === undefined ? [] : lines.slice(0, Math.max(0, lines.indexOf(`m ${reached.slice(2)}`)));
}

function parseHead(line: string): (PartIdentity & { boot: string }) | undefined {
  try {
    const head = JSON.parse(line) as Record<string, unknown>;
    const { journal, boot, version, total } = head;
    if (journal !== 1 || typeof boot !== "string") return undefined;
    if (version !== null && typeof version !== "string") return undefined;
    if (total !== null && !Number.isSafeInteger(total)) return undefined;
    return { boot, version, total: total as number | null };
  } catch {
    return undefined;
  }
}

/** Empty where the machine does not tell: then only synced bytes count. */
async function bootId(): Promise<string> {
  return (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();
}
