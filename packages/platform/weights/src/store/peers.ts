import { constants } from "node:fs";
import { chown, copyFile, link, lstat, rm } from "node:fs/promises";
import { Layout } from "./layout.ts";
import { type ReadFile, readWhole, succeeds, type TakeRequest, takeBlob } from "./take-file.ts";

export interface PeerRequest extends TakeRequest {
  /** From the source or the user. A manifest of a peer is no proof: pods can write the stores of their volumes. */
  readonly sha256: string;
  readonly size: number | undefined;
}

/**
 * Takes a blob from another store of this machine: models with the same weights need the space once, and each store can delete its own.
 * The bytes are read before they count; undefined where no peer has them.
 */
export async function takeFromPeer(
  layout: Layout,
  peers: readonly string[],
  request: PeerRequest,
): Promise<ReadFile | undefined> {
  if (!/^[0-9a-f]{64}$/.test(request.sha256)) return undefined;
  for (const root of peers) {
    if (root === layout.root) continue;
    const blob = new Layout(root).blob(request.sha256);
    const taken = await takeBlob(layout, request, (fresh) => takeVerified(blob, fresh, request));
    if (taken !== undefined) return taken;
  }
  return undefined;
}

async function takeVerified(
  blob: string,
  fresh: string,
  { sha256, size, signal }: PeerRequest,
): Promise<ReadFile | undefined> {
  const found = await lstat(blob).catch(() => undefined);
  if (!found?.isFile() || (size !== undefined && found.size !== size)) return undefined;
  if (!(await share(blob, fresh, found.uid === process.geteuid?.()))) return undefined;
  const read = await readWhole(fresh, signal);
  return read?.sha256 === sha256 ? read : undefined;
}

/**
 * A clone shares the space and no later write. Where the disk has no clones, a file of the same user is linked: that user could change it
 * in this store too. The file of another user is copied.
 */
async function share(from: string, to: string, isOwn: boolean): Promise<boolean> {
  const ways = [() => copy(from, to, constants.COPYFILE_FICLONE_FORCE), ...(isOwn ? [() => link(from, to)] : [])];
  for (const way of [...ways, () => copy(from, to)]) {
    if (await succeeds(way())) return true;
    // A copy that failed leaves what it wrote.
    await rm(to, { force: true });
  }
  return false;
}

async function copy(from: string, to: string, how = 0): Promise<void> {
  await copyFile(from, to, how);
  // A copy that root makes keeps its owner, which could make it writable again.
  await chown(to, process.geteuid?.() ?? -1, process.getegid?.() ?? -1);
}
