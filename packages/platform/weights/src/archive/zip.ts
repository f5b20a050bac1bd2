import type { FileHandle } from "node:fs/promises";
import { WeightsError } from "../fault.ts";

/** A file in a zip archive, and where its bytes are in it. */
export interface ZipEntry {
  readonly path: string;
  readonly isDeflated: boolean;
  readonly crc: number;
  readonly size: number;
  readonly packedSize: number;
  /** Of its local header. */
  readonly offset: number;
}

const endSign = 0x06054b50;
const wideEndSign = 0x06064b50;
const wideLocatorSign = 0x07064b50;
const entrySign = 0x02014b50;
const localSign = 0x04034b50;
/** The end of an archive with the longest comment that may follow it. */
const longestEnd = 22 + 65_535;
const longestDirectory = 64 * 1024 * 1024;
const unknown32 = 0xffff_ffff;

/** Whether a file begins as an archive does. */
export const isZip = (start: Uint8Array): boolean =>
  start.length >= 4 && Buffer.from(start.buffer, start.byteOffset, 4).readUInt32LE(0) === localSign;

/** The files of an archive, from the list at its end. Folders are left out, and what is no plain file is refused. */
export async function readZipEntries(file: FileHandle, shownAs: string): Promise<ZipEntry[]> {
  const { offset, size } = await directoryOf(file, shownAs);
  if (size > longestDirectory) throw refused(shownAs, "its list of files is too long");
  const directory = await bytesAt(file, { at: offset, length: size, shownAs });
  const entries: ZipEntry[] = [];
  for (let at = 0; at + 46 <= directory.length && directory.readUInt32LE(at) === entrySign; ) {
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const entry = directory.subarray(at, at + 46 + name + extra);
    if (entry.length < 46 + name + extra) throw refused(shownAs, "its list of files is truncated");
    const parsed = entryOf(entry, name, shownAs);
    if (parsed !== undefined) entries.push(parsed);
    at += 46 + name + extra + comment;
  }
  if (entries.length === 0) throw refused(shownAs, "it contains no files");
  return entries;
}

/** Where the bytes of an entry begin: its own header may be longer than the list says. */
export async function startOf(file: FileHandle, entry: ZipEntry, shownAs: string): Promise<number> {
  const header = await bytesAt(file, { at: entry.offset, length: 30, shownAs });
  if (header.readUInt32LE(0) !== localSign) throw refused(shownAs, `${entry.path} is not at its listed offset`);
  return entry.offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

const refused = (shownAs: string, why: string): WeightsError =>
  new WeightsError("refused", "Rejected", `${shownAs}: cannot read the archive: ${why}`);

async function directoryOf(file: FileHandle, shownAs: string): Promise<{ offset: number; size: number }> {
  const { size: total } = await file.stat();
  const from = Math.max(0, total - longestEnd);
  const tail = await bytesAt(file, { at: from, length: total - from, shownAs });
  let at = tail.length - 22;
  while (at >= 0 && tail.readUInt32LE(at) !== endSign) at--;
  if (at < 0) throw refused(shownAs, "its end record is missing");
  const [size, offset] = [tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)];
  if (size !== unknown32 && offset !== unknown32) return { offset, size };
  const locator = at - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== wideLocatorSign)
    throw refused(shownAs, "its end record is missing");
  const end = await bytesAt(file, { at: wide(tail, locator + 8, shownAs), length: 56, shownAs });
  if (end.readUInt32LE(0) !== wideEndSign) throw refused(shownAs, "its end record is missing");
  return { size: wide(end, 40, shownAs), offset: wide(end, 48, shownAs) };
}

function entryOf(entry: Buffer, nameLength: number, shownAs: string): ZipEntry | undefined {
  const path = entry.subarray(46, 46 + nameLength).toString("utf8");
  if (path.endsWith("/")) return undefined;
  const [flags, method] = [entry.readUInt16LE(8), entry.readUInt16LE(10)];
  const mode = entry.readUInt32LE(38) >>> 16;
  if ((flags & 1) !== 0) throw refused(shownAs, `${path} is encrypted`);
  if (method !== 0 && method !== 8) throw refused(shownAs, `${path} uses an unsupported compression method`);
  if ((mode & 0xf000) === 0xa000) throw refused(shownAs, `${path} is a link`);
  const [packed, plain, offset] = [20, 24, 42].map((field) => entry.readUInt32LE(field)) as [number, number, number];
  const long = longNumbers(entry.subarray(46 + nameLength));
  let at = -8;
  const numberOf = (short: number): number => {
    if (short !== unknown32) return short;
    at += 8;
    return wide(long, at, shownAs);
  };
  // In this order, and each only where the short field has no room for it.
  const [size, packedSize, start] = [numberOf(plain), numberOf(packed), numberOf(offset)];
  return { path, isDeflated: method === 8, crc: entry.readUInt32LE(16), size, packedSize, offset: start };
}

/** The field of an entry that holds what needs more than 32 bits. */
function longNumbers(extra: Buffer): Buffer {
  for (let at = 0; at + 4 <= extra.length; ) {
    const [id, length] = [extra.readUInt16LE(at), extra.readUInt16LE(at + 2)];
    if (id === 1) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return extra.subarray(0, 0);
}

function wide(bytes: Buffer, at: number, shownAs: string): number {
  const value = at + 8 <= bytes.length ? Number(bytes.readBigUInt64LE(at)) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw refused(shownAs, "it contains an invalid number");
  return value;
}

async function bytesAt(
  file: FileHandle,
  { at, length, shownAs }: { readonly at: number; readonly length: number; readonly shownAs: string },
): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, at);
  if (bytesRead < length) throw refused(shownAs, "it is truncated");
  return buffer;
}
