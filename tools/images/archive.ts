/** One entry of a tar archive. */
export interface Entry {
  /** Without a leading slash. */
  readonly path: string;
  readonly is: "file" | "folder" | "link";
  readonly mode: number;
  readonly content: Buffer;
  /** Target of a symbolic link. */
  readonly target: string;
}

export const file = (path: string, content: Buffer | string, mode = 0o644): Entry => ({
  path,
  is: "file",
  mode,
  content: Buffer.from(content),
  target: "",
});

export const folder = (path: string, mode = 0o755): Entry => ({
  path,
  is: "folder",
  mode,
  content: Buffer.alloc(0),
  target: "",
});

export const link = (path: string, target: string): Entry => ({
  path,
  is: "link",
  mode: 0o777,
  content: Buffer.alloc(0),
  target,
});

const block = 512;
const kinds = { file: "0", link: "2", folder: "5" } as const;

/** A tar archive of these entries: sorted, owned by root, all from the same second, so that the same entries are the same bytes. */
export function writeTar(entries: readonly Entry[], seconds: number): Buffer {
  const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => [headerOf(entry, seconds), entry.content, paddingFor(entry.content.length)]);
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

const paddingFor = (size: number): Buffer => Buffer.alloc((block - (size % block)) % block);

function headerOf({ path, is, mode, content, target }: Entry, seconds: number): Buffer {
  const header = Buffer.alloc(block);
  const [prefix, name] = splitName(is === "folder" ? `${path}/` : path);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;
  header.write(name, 0, 100);
  header.write(octal(mode, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(seconds, 12), 136);
  header.write(" ".repeat(8), 148);
  header.write(kinds[is], 156);
  header.write(target, 157, 100);
  header.write("ustar\x0000", 257);
  header.write(prefix, 345, 155);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** Long names are in two fields, divided at a slash. */
function splitName(path: string): [prefix: string, name: string] {
  if (path.length <= 100) return ["", path];
  const slash = path.indexOf("/", path.length - 101);
  if (slash < 0 || slash > 155) throw new Error(`${path} is too long for a tar archive`);
  return [path.slice(0, slash), path.slice(slash + 1)];
}

/** What is in a tar archive; devices and the like are left out. */
export function readTar(archive: Buffer): Entry[] {
  const entries: Entry[] = [];
  let longName: string | undefined;
  for (let at = 0; at + block <= archive.length && archive[at] !== 0; ) {
    const header = archive.subarray(at, at + block);
    const size = Number.parseInt(textOf(header, 124, 12), 8);
    const content = archive.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "L") {
      longName = textOf(content, 0, content.length);
      continue;
    }
    const prefix = textOf(header, 345, 155);
    const name = longName ?? (prefix === "" ? textOf(header, 0, 100) : `${prefix}/${textOf(header, 0, 100)}`);
    longName = undefined;
    const is = type === "5" ? "folder" : type === "2" ? "link" : type === "0" || type === "\0" ? "file" : undefined;
    if (is === undefined) continue;
    const path = name.replace(/^\.?\/+/, "").replace(/\/+$/, "");
    const mode = Number.parseInt(textOf(header, 100, 8), 8) & 0o7777;
    if (path !== "" && path !== ".") entries.push({ path, is, mode, content, target: textOf(header, 157, 100) });
  }
  return entries;
}

function textOf(bytes: Buffer, from: number, length: number): string {
  const text = bytes.toString("utf8", from, from + length);
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
}

/** The members of an `ar` archive, which a Debian package is. */
export function readAr(archive: Buffer): Map<string, Buffer> {
  const members = new Map<string, Buffer>();
  for (let at = 8; at + 60 <= archive.length; ) {
    const name = archive
      .toString("latin1", at, at + 16)
      .trim()
      .replace(/\/$/, "");
    const size = Number(archive.toString("latin1", at + 48, at + 58));
    members.set(name, archive.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return members;
}
