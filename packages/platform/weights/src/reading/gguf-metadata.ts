import type { MetadataScalar, MetadataValue } from "@trivium/domain";
import type { HeaderCursor } from "./header-cursor.ts";

/** Lengths are 32 bits wide in version 1 and 64 in all others. */
export type LengthWidth = 4 | 8;

const longestKey = 65_535;
const longestKeptText = 1024 * 1024;
const maxElements = 16 * 1024 * 1024;
const deepest = 4;
/** Each costs a step however empty it is. */
const maxNested = 65_536;
/** Arrays of numbers up to this length are one value a layer, which is what a layer's size is computed from. */
const maxKeptNumbers = 1024;
/** A list of texts of at least this many bytes is a vocabulary. */
const minVocabulary = 64 * 1024;

const stringType = 8;
const arrayType = 9;

type ScalarReader = (cursor: HeaderCursor) => MetadataScalar;

/** Width and reader of each fixed-size value type, by its number in a file. */
const scalars: ReadonlyMap<number, readonly [width: number, read: ScalarReader]> = new Map([
  [0, [1, (cursor) => cursor.u8()]],
  [1, [1, (cursor) => cursor.i8()]],
  [2, [2, (cursor) => cursor.u16()]],
  [3, [2, (cursor) => cursor.i16()]],
  [4, [4, (cursor) => cursor.u32()]],
  [5, [4, (cursor) => cursor.i32()]],
  [6, [4, (cursor) => cursor.f32()]],
  [7, [1, readBoolean]],
  [10, [8, (cursor) => cursor.u64()]],
  [11, [8, (cursor) => cursor.i64()]],
  [12, [8, (cursor) => cursor.f64()]],
] as [number, [number, ScalarReader]][]);

export interface MetadataOptions {
  readonly width: LengthWidth;
  /** Which arrays to keep besides short ones of numbers. */
  readonly keepArray: (key: string) => boolean;
  /** Told before a long list of texts, the only thing that cannot be passed over unread. True ends the reading there. */
  readonly endBefore: (key: string) => boolean;
}

/** In place of a value: reading ends before it. */
export const ended: unique symbol = Symbol("ended");

const decoder = new TextDecoder();

export async function readKey(cursor: HeaderCursor, width: LengthWidth): Promise<string> {
  const length = await readLength(cursor, width);
  if (length === 0 || length > longestKey)
    throw cursor.fault(`a key has ${length} bytes (allowed: 1 to ${longestKey})`);
  await cursor.need(length);
  return decoder.decode(cursor.bytes(length));
}

export async function readValue(
  cursor: HeaderCursor,
  key: string,
  options: MetadataOptions,
): Promise<MetadataValue | typeof ended> {
  if (!cursor.has(4)) await cursor.need(4);
  const type = cursor.u32();
  if (type === arrayType) return readArray(cursor, key, options);
  if (type === stringType) return readText(cursor, options.width);
  const [width, read] = scalarOf(cursor, type);
  if (!cursor.has(width)) await cursor.need(width);
  return read(cursor);
}

async function readText(cursor: HeaderCursor, width: LengthWidth): Promise<MetadataValue> {
  const length = await readLength(cursor, width);
  if (length > longestKeptText) {
    cursor.skip(length);
    return { skipped: "string", count: length };
  }
  if (!cursor.has(length)) await cursor.need(length);
  return decoder.decode(cursor.bytes(length));
}

async function readArray(
  cursor: HeaderCursor,
  key: string,
  options: MetadataOptions,
): Promise<MetadataValue | typeof ended> {
  const { type, count } = await readArrayHead(cursor, options.width);
  const scalar = scalars.get(type);
  if (type === stringType && count * options.width >= minVocabulary && options.endBefore(key)) return ended;
  const isWanted = options.keepArray(key);
  if (scalar !== undefined && (isWanted || count <= maxKeptNumbers)) return readNumbers(cursor, scalar, count);
  if (type === stringType && isWanted) return readTexts(cursor, options.width, count);
  await passElements(cursor, { type, count }, { width: options.width, depth: 1, nested: 0 });
  return { skipped: "array", count };
}

interface ArrayHead {
  readonly type: number;
  readonly count: number;
}

async function readArrayHead(cursor: HeaderCursor, width: LengthWidth): Promise<ArrayHead> {
  if (!cursor.has(4)) await cursor.need(4);
  const type = cursor.u32();
  const count = await readLength(cursor, width);
  if (count > maxElements) throw cursor.fault(`an array has ${count} elements (maximum: ${maxElements})`);
  const least = type === stringType ? width : type === arrayType ? 4 + width : scalarOf(cursor, type)[0];
  if (count * least > cursor.left) throw cursor.truncated();
  return { type, count };
}

async function readNumbers(
  cursor: HeaderCursor,
  [width, read]: readonly [number, ScalarReader],
  count: number,
): Promise<MetadataValue> {
  await cursor.need(count * width);
  return Array.from({ length: count }, () => read(cursor));
}

async function readTexts(cursor: HeaderCursor, width: LengthWidth, count: number): Promise<MetadataValue> {
  const texts: string[] = [];
  for (let i = 0; i < count; i++) {
    const length = await readLength(cursor, width);
    if (!cursor.has(length)) await cursor.need(length);
    texts.push(decoder.decode(cursor.bytes(length)));
  }
  return texts;
}

interface Walk {
  readonly width: LengthWidth;
  depth: number;
  nested: number;
}

async function passElements(cursor: HeaderCursor, { type, count }: ArrayHead, walk: Walk): Promise<void> {
  if (type === stringType) return passTexts(cursor, count, walk.width);
  if (type !== arrayType) return cursor.skip(count * scalarOf(cursor, type)[0]);
  walk.nested += count;
  if (walk.depth >= deepest) throw cursor.fault(`arrays are nested deeper than ${deepest}`);
  if (walk.nested > maxNested) throw cursor.fault(`an array has more than ${maxNested} arrays`);
  walk.depth++;
  for (let i = 0; i < count; i++) await passElements(cursor, await readArrayHead(cursor, walk.width), walk);
  walk.depth--;
}

/** Their lengths stand before them, so each must be looked at; what was seen of them tells how far to read ahead. */
async function passTexts(cursor: HeaderCursor, count: number, width: LengthWidth): Promise<void> {
  const startedAt = cursor.position;
  let left = cursor.passTexts(count, width);
  while (left > 0) {
    const passed = count - left;
    const average = passed === 0 ? width + 8 : (cursor.position - startedAt) / passed;
    await cursor.need(width, Math.ceil(left * average * 1.05));
    cursor.skip(await readLength(cursor, width));
    left = cursor.passTexts(left - 1, width);
  }
}

export async function readLength(cursor: HeaderCursor, width: LengthWidth): Promise<number> {
  if (!cursor.has(width)) await cursor.need(width);
  const length = width === 4 ? cursor.u32() : cursor.u64();
  if (!Number.isSafeInteger(length)) throw cursor.fault("it contains an invalid length");
  if (length > cursor.left) throw cursor.truncated();
  return length;
}

function readBoolean(cursor: HeaderCursor): boolean {
  const value = cursor.u8();
  if (value > 1) throw cursor.fault(`it contains the invalid boolean ${value}`);
  return value === 1;
}

function scalarOf(cursor: HeaderCursor, type: number): readonly [number, ScalarReader] {
  const scalar = scalars.get(type);
  if (scalar === undefined) throw cursor.fault(`a value has the unknown type ${type}`);
  return scalar;
}
