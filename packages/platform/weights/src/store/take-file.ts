import { createHash, randomUUID } from "node:crypto";
import { type BigIntStats, constants } from "node:fs";
import { chmod, lstat, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type FoundBytes, stoppedFault } from "../fault.ts";
import { digestFile } from "../transfer/digest-file.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import { syncDirectory } from "../transfer/parts/part-file.ts";
import type { Layout } from "./layout.ts";

export interface TakeRequest {
  /** The model that it belongs to, and its path there. */
  readonly key: string;
  readonly path: string;
  readonly signal: AbortSignal;
}

/** What a regular file was while its bytes were read. */
export interface ReadFile {
  readonly sha256: string;
  readonly found: BigIntStats;
}

/** Reads a whole file; undefined for links, pipes and devices, and for a file that changed meanwhile. */
export async function readWhole(path: string, signal: AbortSignal): Promise<ReadFile | undefined> {
  // Without O_NONBLOCK the opening of a pipe waits for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  );
  if (handle === undefined) return undefined;
  try {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) return undefined;
    const hash = createHash("sha256");
    const options = { highWaterMark: 1 << 20, autoClose: false, signal };
    for await (const chunk of handle.createReadStream(options)) hash.update(chunk as Buffer);
    return isUnchanged(found, await handle.stat({ bigint: true })) ? { sha256: hash.digest("hex"), found } : undefined;
  } catch (error) {
    throw signal.aborted ? stoppedFault() : error;
  } finally {
    await handle.close();
  }
}

/** The change time is not compared: other stores link the same file at the same time. */
export const isUnchanged = (before: BigIntStats, after: BigIntStats): boolean =>
  before.dev === after.dev &&
  before.ino === after.ino &&
  before.size === after.size &&
  before.mtimeNs === after.mtimeNs;

/**
 * Gives `take` a path beside the blobs, and makes what it put there the blob of the digest that it returns. A blob is believed by its
 * name, so bytes get that name only after they were read.
 */
export async function takeBlob(
  layout: Layout,
  { key, path, signal }: TakeRequest,
  take: (fresh: string) => Promise<ReadFile | undefined>,
): Promise<ReadFile | undefined> {
  const fresh = `${layout.partial(key, path)}.${randomUUID()}.taken`;
  for (const folder of [dirname(fresh), layout.blobs]) await makeFolder(folder);
  try {
    const taken = await take(fresh);
    if (taken === undefined) return undefined;
    const { sha256, found } = taken;
    // Read bits are the owner's decision; a blob only must not be written.
    const isWritable = (found.mode & 0o222n) !== 0n;
    if (isWritable && !(await succeeds(chmod(fresh, Number(found.mode & 0o555n))))) return undefined;
    if (!(await hasWhole(layout, { sha256, size: Number(found.size) }, signal)))
      await rename(fresh, layout.blob(sha256));
    await syncDirectory(layout.blobs);
    return taken;
  } finally {
    await rm(fresh, { force: true });
  }
}

/**
 * Makes a file the blob of its digest. One that the store has already stays, unless it is damaged: other models show its bytes, and need
 * not have them twice.
 */
export async function putBlob(layout: Layout, { path, sha256, size }: FoundBytes): Promise<void> {
  if (await hasWhole(layout, { sha256, size })) return rm(path, { force: true });
  await chmod(path, 0o444);
  await rename(path, layout.blob(sha256));
}

/** Whether the store has these very bytes; the name and the length alone say nothing of a damaged disk. */
async function hasWhole(
  layout: Layout,
  { sha256, size }: Pick<FoundBytes, "sha256" | "size">,
  signal?: AbortSignal,
): Promise<boolean> {
  const there = await lstat(layout.blob(sha256)).catch(() => undefined);
  if (!there?.isFile() || there.size !== size) return false;
  return (await digestFile(layout.blob(sha256), signal).catch(() => undefined)) === sha256;
}

/** Where a disk or an owner does not allow it, there is another way. */
export const succeeds = (tried: Promise<unknown>): Promise<boolean> =>
  tried.then(
    () => true,
    () => false,
  );
