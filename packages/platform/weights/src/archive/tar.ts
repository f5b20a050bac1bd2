import { WeightsError } from "../fault.ts";
import { ByteReader } from "./byte-reader.ts";
import { parsePax, parseTarHeader, type TarHeader } from "./tar-header.ts";

export interface TarEntry {
  readonly kind: "file" | "folder" | "hard-link" | "symlink" | "other";
  /** As written: nobody has looked whether it is safe. */
  readonly path: string;
  /** Where a link points; empty for the rest. */
  readonly target: string;
  readonly size: number;
  /** The content; what is not read is skipped. */
  readonly body: AsyncIterable<Uint8Array>;
}

const block = 512;
/** Names and notes are short; a longer one is an attack or an accident. */
const longestNote = 1024 * 1024;
const maxEntries = 200_000;

/** Reads an archive as it streams by. Formats: ustar, pax, and GNU's long names. */
export async function* readTar(bytes: AsyncIterable<Uint8Array>, shownAs: string): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(bytes);
  const broken = (what: string) => new WeightsError("refused", "Rejected", `${shownAs}: the archive ${what}`);
  let notes: Record<string, string> = {};
  try {
    for (let count = 0; ; count++) {
      if (count > maxEntries) throw broken(`has more than ${maxEntries} entries`);
      const header = await nextHeader(reader, broken);
      if (header === undefined) return;
      if (header.type === "x" || header.type === "L" || header.type === "K" || header.type === "g") {
        const text = await noteOf(reader, header, broken);
        if (header.type === "x") notes = { ...notes, ...parsePax(text) };
        if (header.type === "L") notes = { ...notes, path: untilNul(text) };
        if (header.type === "K") notes = { ...notes, linkpath: untilNul(text) };
        continue;
      }
      if (Object.keys(notes).some((name) => name.startsWith("GNU.sparse"))) throw broken("has sparse files");
      const kind = kindOf(header.type);
      // Some packers give links and folders the size of something else; nothing follows them all the same.
      const isBare = kind === "folder" || kind === "hard-link" || kind === "symlink";
      const size = isBare ? 0 : notes.size === undefined ? header.size : Number(notes.size);
      if (!Number.isSafeInteger(size) || size < 0) throw broken("has an entry with an invalid size");
      const body = new EntryBody(reader, size, broken);
      yield { kind, path: notes.path ?? header.path, target: notes.linkpath ?? header.target, size, body };
      await body.skipRest();
      notes = {};
    }
  } finally {
    await reader.close();
  }
}

type Broken = (what: string) => WeightsError;

/** Two empty blocks end an archive; many writers leave them out, so its end does as well. */
async function nextHeader(reader: ByteReader, broken: Broken): Promise<TarHeader | undefined> {
  const bytes = await reader.exactly(block);
  if (bytes === undefined || bytes.every((byte) => byte === 0)) return undefined;
  const header = parseTarHeader(bytes);
  if (header === undefined) throw broken("is damaged or not a tar archive");
  return header;
}

async function noteOf(reader: ByteReader, { size }: TarHeader, broken: Broken): Promise<string> {
  if (size > longestNote) throw broken("has a name or header that is too long");
  const padded = await reader.exactly(Math.ceil(size / block) * block);
  if (padded === undefined) throw broken("is truncated");
  return Buffer.from(padded.subarray(0, size)).toString("utf8");
}

class EntryBody implements AsyncIterable<Uint8Array> {
  readonly #reader: ByteReader;
  readonly #broken: Broken;
  #left: number;
  #padding: number;

  constructor(reader: ByteReader, size: number, broken: Broken) {
    this.#reader = reader;
    this.#broken = broken;
    this.#left = size;
    this.#padding = (block - (size % block)) % block;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    while (this.#left > 0) {
      const part = await this.#reader.some(this.#left);
      if (part === undefined) throw this.#broken("is truncated");
      this.#left -= part.byteLength;
      yield part;
    }
  }

  async skipRest(): Promise<void> {
    const [left, padding] = [this.#left, this.#padding];
    [this.#left, this.#padding] = [0, 0];
    if (!(await this.#reader.skip(left))) throw this.#broken("is truncated");
    // Some packers do not fill up the last block; the content is whole without.
    await this.#reader.skip(padding);
  }
}

function kindOf(type: string): TarEntry["kind"] {
  if (type === "0" || type === "\0" || type === "7") return "file";
  if (type === "5") return "folder";
  if (type === "1") return "hard-link";
  return type === "2" ? "symlink" : "other";
}

function untilNul(text: string): string {
  return text.split("\0")[0] ?? "";
}
