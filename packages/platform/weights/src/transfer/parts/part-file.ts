import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { diskFault } from "../../fault.ts";
import { Journal, type PartIdentity, readJournal } from "./journal.ts";
import { RangeSet } from "./range-set.ts";

/** A power cut costs at most this much. Syncing more often would make slow disks wait. */
const bytesBetweenSyncs = 128 * 1024 * 1024;

/** A file in the making: `<path>.part` with the bytes and `<path>.part.journal` saying which of them are good. */
export class PartFile {
  readonly path: string;
  readonly ranges: RangeSet;
  readonly #handle: FileHandle;
  readonly #journal: Journal;
  #unsynced = 0;
  #syncing: Promise<void> | undefined;

  private constructor(path: string, ranges: RangeSet, files: { handle: FileHandle; journal: Journal }) {
    this.path = path;
    this.ranges = ranges;
    this.#handle = files.handle;
    this.#journal = files.journal;
  }

  /** Goes on with what is there if it is part of the same thing, and starts empty otherwise. */
  static async open(destination: string, identity: PartIdentity): Promise<PartFile> {
    const path = `${destination}.part`;
    try {
      const ranges = await goodRanges(path, identity);
      const handle = await open(path, ranges.size === 0 ? "w+" : "r+");
      try {
        return new PartFile(path, ranges, {
          handle,
          journal: await Journal.begin(`${path}.journal`, identity, ranges),
        });
      } catch (error) {
        await handle.close();
        throw error;
      }
    } catch (error) {
      throw diskFault(error, path);
    }
  }

  async write(chunks: readonly Uint8Array[], at: number): Promise<void> {
    try {
      const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
      await writeFully(this.#handle, chunks, at);
      const range = { start: at, end: at + length };
      await this.#journal.wrote(range);
      this.ranges.add(range);
      this.#unsynced += length;
      if (this.#unsynced >= bytesBetweenSyncs && this.#syncing === undefined) this.#syncInBackground();
    } catch (error) {
      throw diskFault(error, this.path);
    }
  }

  /** Everything is there: makes it durable under its real name, in one step. */
  async publish(destination: string): Promise<void> {
    try {
      await this.#syncing;
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.path, destination);
      await syncDirectory(dirname(destination));
      await this.#journal.remove();
    } catch (error) {
      await Promise.allSettled([this.#handle.close(), this.#journal.close()]);
      throw diskFault(error, destination);
    }
  }

  /** Stops for now; a later run goes on. */
  async close(): Promise<void> {
    await this.#syncing?.catch(() => {});
    await this.#journal.context(() => this.#handle.datasync()).catch(() => {});
    await this.#journal.close();
    await this.#handle.close();
  }

  /** The bytes proved useless. The journal goes first, so that nothing vouches for them at any moment. */
  async discard(): Promise<void> {
    await this.#syncing?.catch(() => {});
    await this.#journal.remove();
    await this.#handle.close();
    await rm(this.path, { force: true });
  }

  #syncInBackground(): void {
    this.#unsynced = 0;
    // A failed sync leaves those bytes unvouched for; the next write meets the same disk and reports it.
    this.#syncing = this.#journal
      .context(() => this.#handle.datasync())
      .catch(() => {})
      .finally(() => {
        this.#syncing = undefined;
      });
  }
}

async function goodRanges(path: string, identity: PartIdentity): Promise<RangeSet> {
  // Without a version nothing tells whether old bytes and new ones belong together.
  if (identity.version === null) return new RangeSet();
  const read = await readJournal(`${path}.journal`);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  if (read?.identity.version !== identity.version || read.identity.total !== identity.total) return new RangeSet();
  const end = Math.min(size, identity.total ?? size);
  return RangeSet.of(read.ranges.ranges.map((range) => ({ start: range.start, end: Math.min(range.end, end) })));
}

async function writeFully(handle: FileHandle, chunks: readonly Uint8Array[], at: number): Promise<void> {
  let rest = [...chunks];
  let position = at;
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest, position);
    position += bytesWritten;
    rest = dropBytes(rest, bytesWritten);
  }
}

function dropBytes(chunks: readonly Uint8Array[], count: number): Uint8Array[] {
  let left = count;
  const rest: Uint8Array[] = [];
  for (const chunk of chunks) {
    if (left >= chunk.byteLength) left -= chunk.byteLength;
    else {
      rest.push(chunk.subarray(left));
      left = 0;
    }
  }
  return rest;
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  // Some network file systems refuse to sync a directory; the rename is still atomic there.
  await directory.sync().catch(() => {});
  await directory.close();
}
