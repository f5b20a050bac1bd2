import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { readTar, type TarEntry } from "../archive/tar.ts";
import { ArchiveTree } from "../archive/tree.ts";
import { diskFault, WeightsError } from "../fault.ts";
import { matchesAny } from "../sources/glob.ts";
import { checkRelativePath } from "../sources/relative-path.ts";
import { makeFolder } from "../transfer/parts/disk.ts";
import type { Archive, RemoteFile } from "../transfer/remote-file.ts";
import type { Layout } from "./layout.ts";
import type { StoredFile } from "./manifest.ts";
import { putBlob } from "./take-file.ts";

export interface Unpacking {
  readonly layout: Layout;
  /** Of the model, for files in the making. */
  readonly key: string;
  readonly source: string;
  readonly signal: AbortSignal;
  /** Told of each blob before it is in its place, so that no sweep takes it. */
  want(sha256: string): Promise<void>;
}

type Blob = Omit<StoredFile, "path">;

/** Weights hardly shrink; an archive that grows more than this is built to fill a disk. */
const maxGrowth = 20;
const spare = 64 * 1024 * 1024;

/**
 * Turns archives that are in the store into the files they hold, each a blob of its own. Archives are laid on top of each other in
 * their order, as the layers of an image are.
 */
export async function unpackAll(archives: readonly RemoteFile[], how: Unpacking): Promise<StoredFile[]> {
  const tree = new ArchiveTree<Blob>(how.source);
  for (const file of archives)
    await unpackOne(file, tree, how).catch((error) => {
      throw how.signal.aborted ? how.signal.reason : faultOf(error, file.shownAs);
    });
  const [{ root, include }] = archives.map((file) => file.archive) as [Archive];
  const files = [...tree.under(root)]
    .filter(([path]) => include.length === 0 || matchesAny(include, path))
    .map(([path, blob]) => ({ path, ...blob }));
  for (const { path } of files) checkRelativePath(path, how.source);
  if (files.length > 0) return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const where = root === "" ? "" : ` under /${root}`;
  const which = include.length === 0 ? "contains no files" : `contains no files that match ${include.join(", ")}`;
  throw new WeightsError("not-found", "NothingMatches", `${how.source}: ${which}${where}`);
}

async function unpackOne(file: RemoteFile, tree: ArchiveTree<Blob>, how: Unpacking): Promise<void> {
  const archive = file.archive as Archive;
  const limit = (file.size ?? 0) * maxGrowth + spare;
  let taken = 0;
  const blob = how.layout.blob(file.digest?.hex ?? "");
  for await (const entry of readTar(plainBytes(blob, archive.compression), file.shownAs)) {
    how.signal.throwIfAborted();
    taken += entry.size;
    if (taken > limit)
      throw new WeightsError(
        "refused",
        "Rejected",
        `${file.shownAs}: the archive expands to more than ${maxGrowth} times its size`,
      );
    await place(entry, tree, { ...how, root: archive.root });
  }
}

async function place(entry: TarEntry, tree: ArchiveTree<Blob>, how: Unpacking & { root: string }): Promise<void> {
  const path = tree.place(entry.path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = path.slice(0, Math.max(0, path.length - name.length - 1));
  if (name === ".wh..wh..opq") return tree.removeUnder(folder);
  if (name.startsWith(".wh.")) return tree.remove(tree.place(`${folder}/${name.slice(4)}`));
  // The rest of an image is none of the model's business.
  if (!path.startsWith(how.root)) return;
  if (entry.kind === "symlink") return tree.symlink(path, entry.target);
  if (entry.kind === "hard-link") return tree.hardLink(path, entry.target);
  if (entry.kind === "file") tree.put(path, await writeBlob(entry, path, how));
}

async function writeBlob(entry: TarEntry, path: string, { layout, key, want }: Unpacking): Promise<Blob> {
  const fresh = `${layout.partial(key, path)}.unpacked`;
  try {
    await makeFolder(dirname(fresh));
    const sha256 = await writeHashed(entry, fresh);
    await want(sha256);
    await putBlob(layout, { path: fresh, sha256, size: entry.size });
    return { size: entry.size, sha256, version: null };
  } catch (error) {
    await rm(fresh, { force: true });
    throw diskFault(error, fresh);
  }
}

async function writeHashed(entry: TarEntry, path: string): Promise<string> {
  const hash = createHash("sha256");
  const handle = await open(path, "w");
  try {
    for await (const chunk of entry.body) {
      hash.update(chunk);
      for (let at = 0; at < chunk.byteLength; ) at += (await handle.write(chunk, at)).bytesWritten;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return hash.digest("hex");
}

/** Its digest was right, so what cannot be read was packed that way. */
function faultOf(error: unknown, shownAs: string): WeightsError {
  if (error instanceof WeightsError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new WeightsError("refused", "Rejected", `${shownAs}: cannot read the archive: ${text}`, { cause: error });
}

function plainBytes(path: string, compression: Archive["compression"]): AsyncIterable<Uint8Array> {
  const file = createReadStream(path, { highWaterMark: 512 * 1024 });
  if (compression === "none") return file;
  const plain = compression === "gzip" ? createGunzip() : createZstdDecompress();
  // An error of either ends both and is met by whoever reads.
  pipeline(file, plain, () => {});
  return plain;
}
