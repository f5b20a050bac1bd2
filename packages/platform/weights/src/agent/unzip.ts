import { createReadStream } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { crc32, createInflateRaw } from "node:zlib";
import { isZip, readZipEntries, startOf, type ZipEntry } from "../archive/zip.ts";
import { diskFault, WeightsError } from "../fault.ts";
import { checkRelativePath } from "../sources/relative-path.ts";
import type { Manifest } from "../store/manifest.ts";
import { checkSpace, makeFolder } from "../transfer/parts/disk.ts";

/** Weights hardly shrink; an archive that grows more than this is built to fill a disk. */
const maxGrowth = 20;
const spare = 64 * 1024 * 1024;
/** Says of which archive the files beside it are. */
const markName = ".unpacked";

/** Weights that were uploaded as one zip archive are shown unpacked, beside it. Anything else is left as it is. */
export async function unzipSingle({ files }: Manifest, folder: string, signal: AbortSignal): Promise<void> {
  const [file, ...more] = files;
  if (file === undefined || more.length > 0) return;
  const path = join(folder, file.path);
  const mark = join(folder, markName);
  if ((await readFile(mark, "utf8").catch(() => "")) === file.sha256) return;
  const archive = await open(path, "r");
  try {
    const start = Buffer.alloc(4);
    await archive.read(start, 0, 4, 0);
    if (!isZip(start)) return;
    const entries = await readZipEntries(archive, file.path);
    await checkEntries(entries, { folder, packed: file.size, shownAs: file.path });
    for (const entry of entries) {
      signal.throwIfAborted();
      await unpack(archive, entry, { path, folder, shownAs: file.path });
    }
    await writeFile(mark, file.sha256);
  } catch (error) {
    throw diskFault(error, folder);
  } finally {
    await archive.close();
  }
}

async function checkEntries(
  entries: readonly ZipEntry[],
  { folder, packed, shownAs }: { readonly folder: string; readonly packed: number; readonly shownAs: string },
): Promise<void> {
  for (const { path } of entries) {
    checkRelativePath(path, shownAs);
    if (path === shownAs || path === markName)
      throw new WeightsError(
        "refused",
        "UnsafePath",
        `${shownAs}: the archive contains a file with the reserved name ${path}`,
      );
  }
  const total = entries.reduce((sum, { size }) => sum + size, 0);
  if (total > packed * maxGrowth + spare)
    throw new WeightsError(
      "refused",
      "Rejected",
      `${shownAs}: the archive expands to more than ${maxGrowth} times its size`,
    );
  await checkSpace(folder, total);
}

interface Place {
  readonly path: string;
  readonly folder: string;
  readonly shownAs: string;
}

/** Each file appears whole or not at all. */
async function unpack(archive: FileHandle, entry: ZipEntry, { path, folder, shownAs }: Place): Promise<void> {
  const start = await startOf(archive, entry, shownAs);
  const target = join(folder, entry.path);
  const fresh = `${target}.unpacking`;
  await makeFolder(dirname(target));
  const packed = entry.packedSize === 0 ? [] : createReadStream(path, { start, end: start + entry.packedSize - 1 });
  const out = await open(fresh, "w", 0o444);
  let [crc, size] = [0, 0];
  try {
    for await (const chunk of plainBytes(packed, entry)) {
      crc = crc32(chunk, crc);
      size += chunk.byteLength;
      if (size > entry.size) break;
      for (let at = 0; at < chunk.byteLength; ) at += (await out.write(chunk, at)).bytesWritten;
    }
    if (size !== entry.size || crc !== entry.crc)
      throw new WeightsError(
        "mismatch",
        "DigestMismatch",
        `${shownAs}: checksum mismatch of ${entry.path} in the archive`,
      );
  } catch (error) {
    await rm(fresh, { force: true });
    throw error instanceof WeightsError || !isOfZlib(error) ? error : garbled(shownAs, entry);
  } finally {
    await out.close();
  }
  await rename(fresh, target);
}

function plainBytes(packed: AsyncIterable<Uint8Array> | readonly Uint8Array[], entry: ZipEntry) {
  const bytes = packed as AsyncIterable<Uint8Array>;
  if (!entry.isDeflated || !("pipe" in bytes)) return bytes;
  const source = bytes as ReturnType<typeof createReadStream>;
  const plain = createInflateRaw();
  source.on("error", (error) => plain.destroy(error));
  return source.pipe(plain) as AsyncIterable<Uint8Array>;
}

const isOfZlib = (error: unknown): boolean => /^(?:Z_|ERR_)/.test(String((error as { code?: unknown }).code));
const garbled = (shownAs: string, { path }: ZipEntry): WeightsError =>
  new WeightsError("refused", "Rejected", `${shownAs}: cannot read the archive: ${path} is damaged`);
