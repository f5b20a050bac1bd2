import { append } from "@trivium/std";

/** As much of DER as an X.509 certificate needs: each function returns one encoded value. */
function value(tag: number, ...contents: Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

export const sequence = (...contents: Uint8Array[]): Buffer => value(0x30, ...contents);
export const set = (...contents: Uint8Array[]): Buffer => value(0x31, ...contents);
export const boolean = (is: boolean): Buffer => value(0x01, Buffer.from([is ? 0xff : 0]));
export const octets = (content: Uint8Array): Buffer => value(0x04, content);
export const utf8 = (text: string): Buffer => value(0x0c, Buffer.from(text, "utf8"));
/** Bits counted from the left; `unused` of the last byte do not belong to them. */
export const bits = (content: Uint8Array, unused = 0): Buffer => value(0x03, Buffer.from([unused]), content);
/** `[number]` around a value, or instead of its own tag when it is primitive. */
export const explicit = (number: number, content: Uint8Array): Buffer => value(0xa0 | number, content);
export const implicit = (number: number, content: Uint8Array): Buffer => value(0x80 | number, content);

/** A non-negative integer from its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const content = Buffer.from(bytes.subarray(start));
  return (content[0] ?? 0) >= 0x80 ? value(0x02, Buffer.from([0]), content) : value(0x02, content);
}

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let high = arc >>> 7; high > 0; high >>>= 7) groups.unshift((high & 0x7f) | 0x80);
    append(bytes, groups);
  }
  return value(0x06, Buffer.from(bytes));
}

/** UTCTime until 2049, GeneralizedTime after it, as X.509 wants. */
export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/[-:T]/g, "").slice(0, 14);
  const isShort = at.getUTCFullYear() < 2050;
  return value(isShort ? 0x17 : 0x18, Buffer.from(`${isShort ? digits.slice(2) : digits}Z`, "latin1"));
}
