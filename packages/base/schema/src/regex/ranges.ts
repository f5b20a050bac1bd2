import { lastCodePoint } from "./syntax.ts";

/** Sorted, disjoint ranges from ranges in any order. */
export function normalizeRanges(ranges: readonly number[]): number[] {
  const pairs: [number, number][] = [];
  for (let index = 0; index < ranges.length; index += 2) {
    pairs.push([ranges[index] as number, ranges[index + 1] as number]);
  }
  pairs.sort((a, b) => a[0] - b[0]);
  const merged: number[] = [];
  for (const [from, to] of pairs) {
    const end = merged.length - 1;
    if (end > 0 && from <= (merged[end] as number) + 1) merged[end] = Math.max(merged[end] as number, to);
    else merged.push(from, to);
  }
  return merged;
}

export function invertRanges(ranges: readonly number[]): number[] {
  const inverted: number[] = [];
  let next = 0;
  const sorted = normalizeRanges(ranges);
  for (let index = 0; index < sorted.length; index += 2) {
    const from = sorted[index] as number;
    if (from > next) inverted.push(next, from - 1);
    next = (sorted[index + 1] as number) + 1;
  }
  if (next <= lastCodePoint) inverted.push(next, lastCodePoint);
  return inverted;
}

/** Adds the other case of every letter. Only ranges of ordinary size are folded; larger ones hold both cases anyway. */
export function foldRanges(ranges: readonly number[]): number[] {
  const folded = [...ranges];
  for (let index = 0; index < ranges.length; index += 2) {
    const from = ranges[index] as number;
    const to = Math.min(ranges[index + 1] as number, from + 2048);
    for (let code = from; code <= to; code++) {
      const character = String.fromCodePoint(code);
      for (const other of [character.toLowerCase(), character.toUpperCase()]) {
        const otherCode = other.codePointAt(0) as number;
        if (otherCode !== code && String.fromCodePoint(otherCode) === other) folded.push(otherCode, otherCode);
      }
    }
  }
  return normalizeRanges(folded);
}

const digits = [0x30, 0x39];
const words = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a];
/** In RE2 these are ASCII, unlike in JavaScript; white space is without the vertical tab. */
const spaces = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20];

export const perlClasses: Readonly<Record<string, readonly number[]>> = {
  d: digits,
  D: invertRanges(digits),
  w: words,
  W: invertRanges(words),
  s: spaces,
  S: invertRanges(spaces),
};

export const posixClasses: Readonly<Record<string, readonly number[]>> = {
  alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
  alpha: [0x41, 0x5a, 0x61, 0x7a],
  ascii: [0, 0x7f],
  blank: [0x09, 0x09, 0x20, 0x20],
  cntrl: [0, 0x1f, 0x7f, 0x7f],
  digit: digits,
  graph: [0x21, 0x7e],
  lower: [0x61, 0x7a],
  print: [0x20, 0x7e],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  upper: [0x41, 0x5a],
  word: words,
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
};

const unicode = new Map<string, number[] | undefined>();

/** `\p{Greek}`, `\pL`: the platform knows the tables, so they are read out of it, once for each name. */
export function unicodeRanges(name: string): readonly number[] | undefined {
  if (unicode.has(name)) return unicode.get(name);
  const test = unicodeTest(name);
  const ranges = test === undefined ? undefined : scan(test);
  unicode.set(name, ranges);
  return ranges;
}

function unicodeTest(name: string): RegExp | undefined {
  if (name === "Any") return /\p{Any}/u;
  if (!/^[A-Z][A-Za-z_]*$/.test(name)) return undefined;
  for (const source of name.length <= 2 ? [`\\p{${name}}`] : [`\\p{Script=${name}}`]) {
    try {
      return new RegExp(source, "u");
    } catch {
      // No such property: the caller says so in Go's words.
    }
  }
  return undefined;
}

function scan(test: RegExp): number[] {
  const ranges: number[] = [];
  let from = -1;
  for (let code = 0; code <= lastCodePoint + 1; code++) {
    const isIn = code <= lastCodePoint && test.test(String.fromCodePoint(code));
    if (isIn && from < 0) from = code;
    if (!isIn && from >= 0) {
      ranges.push(from, code - 1);
      from = -1;
    }
  }
  return ranges;
}
