import { quoteGo } from "../../go-text.ts";
import { matcherOf, RegexError } from "../../regex/index.ts";
import type { Meter } from "../meter.ts";
import { CelError, List } from "../values.ts";
import { formatText } from "./format.ts";
import { named, type Overload, overload } from "./signature.ts";

const runes = (text: string) => Array.from(text);

/** Patterns and texts both make a search longer. */
function matcher(pattern: string, text: string, meter: Meter) {
  meter.spend(Math.ceil((text.length + 1) / 10) * Math.ceil(pattern.length / 4));
  try {
    return matcherOf(pattern);
  } catch (error) {
    if (error instanceof RegexError) throw new CelError(error.message);
    throw error;
  }
}

const matches = (text: string, pattern: string, meter: Meter) => matcher(pattern, text, meter).test(text);

function findAll(text: string, pattern: string, most: number, meter: Meter): string[] {
  const search = matcher(pattern, text, meter);
  const found: string[] = [];
  for (let from = 0; from <= text.length && found.length < most; ) {
    const place = search.find(text, from);
    if (place === undefined) break;
    // Each search may walk to the end of the text again.
    meter.spendText(text.length - from);
    found.push(text.slice(place.start, place.end));
    from = place.end > place.start ? place.end : place.end + 1;
  }
  return found;
}

function indexIn(text: string, part: string, from: bigint): bigint {
  const characters = runes(text);
  if (from < 0n || from > BigInt(characters.length)) throw new CelError(`index out of range: ${from}`);
  const at = characters.slice(Number(from)).join("").indexOf(part);
  if (at < 0) return -1n;
  return from + BigInt(runes(characters.slice(Number(from)).join("").slice(0, at)).length);
}

function lastIndexIn(text: string, part: string, from?: bigint): bigint {
  const characters = runes(text);
  if (from !== undefined && (from < 0n || from > BigInt(characters.length))) {
    throw new CelError(`index out of range: ${from}`);
  }
  const prefix = characters
    .slice(0, from === undefined ? characters.length : Number(from) + runes(part).length)
    .join("");
  const at = prefix.lastIndexOf(part);
  return at < 0 ? -1n : BigInt(runes(prefix.slice(0, at)).length);
}

function substring(text: string, start: bigint, end?: bigint): string {
  const characters = runes(text);
  const stop = end ?? BigInt(characters.length);
  if (start < 0n || start > BigInt(characters.length)) throw new CelError(`index out of range: ${start}`);
  if (stop < 0n || stop > BigInt(characters.length)) throw new CelError(`index out of range: ${stop}`);
  if (start > stop) throw new CelError(`invalid substring range. start: ${start}, end: ${stop}`);
  return characters.slice(Number(start), Number(stop)).join("");
}

/** The cost is known before the text is made: a short text replaced by a long one can grow without end. */
function replace(text: string, change: { from: string; to: string; most: number }, meter: Meter): string {
  const pieces = split(text, change.from, change.most < 0 ? -1 : change.most + 1);
  meter.spendText(text.length * 2 + (pieces.length - 1) * change.to.length);
  return pieces.join(change.to);
}

function split(text: string, by: string, most: number): string[] {
  if (most === 0) return [];
  const pieces = by === "" ? runes(text) : text.split(by);
  if (most < 0 || pieces.length <= most) return pieces;
  return [...pieces.slice(0, most - 1), pieces.slice(most - 1).join(by)];
}

const read =
  <A extends unknown[], R>(run: (text: string, ...args: A) => R) =>
  (text: string, ...args: [...A, Meter]): R => {
    (args[args.length - 1] as Meter).spendText(text.length);
    return run(text, ...(args.slice(0, -1) as A));
  };

const ascii = (text: string, pattern: RegExp, change: (part: string) => string) => text.replace(pattern, change);

export const strings: readonly Overload[] = [
  overload(
    "size(string): int",
    read((text) => BigInt(runes(text).length)),
  ),
  overload(
    "string.size(): int",
    read((text) => BigInt(runes(text).length)),
  ),
  overload(
    "string.contains(string): bool",
    read((text, part: string) => text.includes(part)),
  ),
  overload(
    "string.startsWith(string): bool",
    read((text, part: string) => text.startsWith(part)),
  ),
  overload(
    "string.endsWith(string): bool",
    read((text, part: string) => text.endsWith(part)),
  ),
  overload("string.matches(string): bool", matches),
  overload("matches(string, string): bool", matches),
  overload("string.find(string): string", (text: string, pattern: string, meter: Meter) => {
    return findAll(text, pattern, 1, meter)[0] ?? "";
  }),
  overload("string.findAll(string): list<string>", (text: string, pattern: string, meter: Meter) => {
    return List.of(findAll(text, pattern, Number.POSITIVE_INFINITY, meter));
  }),
  overload("string.findAll(string, int): list<string>", (text: string, pattern: string, most: bigint, meter: Meter) => {
    return List.of(findAll(text, pattern, most < 0n ? Number.POSITIVE_INFINITY : Number(most), meter));
  }),
  overload(
    "string.charAt(int): string",
    read((text, index: bigint) => charAt(text, index)),
  ),
  overload(
    "string.indexOf(string): int",
    read((text, part: string) => indexIn(text, part, 0n)),
  ),
  overload(
    "string.indexOf(string, int): int",
    read((text, part: string, from: bigint) => indexIn(text, part, from)),
  ),
  overload(
    "string.lastIndexOf(string): int",
    read((text, part: string) => lastIndexIn(text, part)),
  ),
  overload(
    "string.lastIndexOf(string, int): int",
    read((text, part: string, from: bigint) => lastIndexIn(text, part, from)),
  ),
  overload(
    "string.lowerAscii(): string",
    read((text) => ascii(text, /[A-Z]+/g, (part) => part.toLowerCase())),
  ),
  overload(
    "string.upperAscii(): string",
    read((text) => ascii(text, /[a-z]+/g, (part) => part.toUpperCase())),
  ),
  overload("string.replace(string, string): string", (text: string, from: string, to: string, meter: Meter) => {
    return replace(text, { from, to, most: -1 }, meter);
  }),
  overload(
    "string.replace(string, string, int): string",
    (text: string, from: string, to: string, most: bigint, meter: Meter) => {
      return replace(text, { from, to, most: Number(most) }, meter);
    },
  ),
  overload(
    "string.split(string): list<string>",
    read((text, by: string) => List.of(split(text, by, -1))),
  ),
  overload(
    "string.split(string, int): list<string>",
    read((text, by: string, most: bigint) => List.of(split(text, by, Number(most)))),
  ),
  overload(
    "string.substring(int): string",
    read((text, start: bigint) => substring(text, start)),
  ),
  overload(
    "string.substring(int, int): string",
    read((text, start: bigint, end: bigint) => substring(text, start, end)),
  ),
  overload(
    "string.trim(): string",
    read((text) => text.trim()),
  ),
  overload(
    "string.reverse(): string",
    read((text) => runes(text).reverse().join("")),
  ),
  overload("string.format(list<T>): string", formatText),
  named(
    "strings.quote",
    "(string): string",
    read((text) => quoteGo(text)),
  ),
  overload("list<string>.join(): string", (list: List, meter: Meter) => join(list, "", meter)),
  overload("list<string>.join(string): string", join),
];

function charAt(text: string, index: bigint): string {
  const characters = runes(text);
  if (index < 0n || index > BigInt(characters.length)) throw new CelError(`index out of range: ${index}`);
  return characters[Number(index)] ?? "";
}

function join(list: List, by: string, meter: Meter): string {
  const parts: string[] = [];
  for (let index = 0; index < list.size; index++) {
    const part = list.at(index) as string;
    meter.spendText(part.length + by.length);
    parts.push(part);
  }
  return parts.join(by);
}
