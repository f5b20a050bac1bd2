export interface TarHeader {
  readonly path: string;
  readonly size: number;
  readonly type: string;
  readonly target: string;
}

/** Reads one header block; undefined when its checksum says that it is none. */
export function parseTarHeader(block: Uint8Array): TarHeader | undefined {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const size = number(bytes, 124, 12);
  if (number(bytes, 148, 8) !== checksum(bytes) || size === undefined) return undefined;
  const isUstar = bytes.toString("latin1", 257, 262) === "ustar";
  const name = text(bytes, 0, 100);
  // GNU keeps times where others keep the front of a long name.
  const prefix = isUstar && bytes.toString("latin1", 262, 264) !== "  " ? text(bytes, 345, 155) : "";
  return {
    path: prefix === "" ? name : `${prefix}/${name}`,
    size,
    type: String.fromCharCode(bytes[156] ?? 0),
    target: text(bytes, 157, 100),
  };
}

/** Records of the form `length key=value\n`. A broken one ends the reading. */
export function parsePax(note: string): Record<string, string> {
  const records: Record<string, string> = {};
  const bytes = Buffer.from(note);
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at);
    const length = Number(bytes.toString("latin1", at, space));
    if (space < 0 || !Number.isInteger(length) || length < 5 || at + length > bytes.length) break;
    const record = bytes.toString("utf8", space + 1, at + length - 1);
    const equals = record.indexOf("=");
    if (equals > 0) records[record.slice(0, equals)] = record.slice(equals + 1);
    at += length;
  }
  return records;
}

/** Octal digits, or for what does not fit them, the number itself with the highest bit set. */
function number(bytes: Buffer, start: number, length: number): number | undefined {
  if (((bytes[start] ?? 0) & 0x80) !== 0) {
    let value = 0;
    for (let i = start + 1; i < start + length; i++) value = value * 256 + (bytes[i] ?? 0);
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const digits = text(bytes, start, length).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : undefined;
}

function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i++) sum += i >= 148 && i < 156 ? 32 : (bytes[i] ?? 0);
  return sum;
}

function text(bytes: Buffer, start: number, length: number): string {
  const end = bytes.indexOf(0, start);
  return bytes.toString("utf8", start, end < 0 ? start + length : Math.min(end, start + length));
}
