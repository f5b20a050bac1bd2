import { compareQuantity, deepEqual, type Quantity } from "@trivium/std";
import type { Meter } from "./meter.ts";
import {
  Duration,
  elementKey,
  List,
  Mapping,
  NoOverload,
  Opaque,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/** CEL equality: deep, across the kinds of numbers, and by identity of elements for sets and list-maps. */
export function isEqual(a: Value, b: Value, meter: Meter): boolean {
  meter.spend(typeof a === "string" ? 1 + a.length / 10 : 1);
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b) === 0;
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return a === b;
  if (a instanceof List) return b instanceof List && equalLists(a, b, meter);
  if (a instanceof Mapping) return b instanceof Mapping && equalMappings(a, b, meter);
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b, meter);
  if (a instanceof Opaque) return b instanceof Opaque && equalOpaque(a, b);
  return a instanceof Uint8Array && b instanceof Uint8Array && compareBytes(a, b) === 0;
}

function equalOpaque(a: Opaque, b: Opaque): boolean {
  if (a.type !== b.type) return false;
  if (a.type === "kubernetes.Quantity") return compareQuantity(a.content as Quantity, b.content as Quantity) === 0;
  return deepEqual(a.content, b.content);
}

function equalOptionals(a: Optional, b: Optional, meter: Meter): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return isEqual(a.value, b.value, meter);
}

function equalLists(a: List, b: List, meter: Meter): boolean {
  if (a.size !== b.size) return false;
  const type = a.schema?.["x-kubernetes-list-type"];
  if (type === "set") return everyIndex(a, (index) => listHas(b, a.at(index), meter));
  if (type === "map") return equalListMaps(a, b, meter);
  return everyIndex(a, (index) => isEqual(a.at(index), b.at(index), meter));
}

function equalListMaps(a: List, b: List, meter: Meter): boolean {
  const places = new Map<string | undefined, number>();
  for (let index = 0; index < b.size; index++) places.set(elementKey(b, index, a.schema), index);
  return everyIndex(a, (index) => {
    const place = places.get(elementKey(a, index, a.schema));
    return place !== undefined && isEqual(a.at(index), b.at(place), meter);
  });
}

function everyIndex(list: List, holds: (index: number) => boolean): boolean {
  for (let index = 0; index < list.size; index++) if (!holds(index)) return false;
  return true;
}

export function listHas(list: List, wanted: Value, meter: Meter): boolean {
  for (let index = 0; index < list.size; index++) {
    meter.spend(1);
    if (isEqual(list.at(index), wanted, meter)) return true;
  }
  return false;
}

function equalMappings(a: Mapping, b: Mapping, meter: Meter): boolean {
  if (a.keys.length !== b.keys.length) return false;
  return a.keys.every((key) => {
    const other = b.get(key);
    return other !== undefined && isEqual(a.get(key) as Value, other, meter);
  });
}

export const isNumber = (value: Value): value is bigint | number | Uint =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint;

function compareNumbers(a: bigint | number | Uint, b: bigint | number | Uint): number | undefined {
  const left = a instanceof Uint ? a.value : a;
  const right = b instanceof Uint ? b.value : b;
  // JavaScript compares bigints and numbers by value, without rounding.
  return left < right ? -1 : left > right ? 1 : left >= right ? 0 : undefined;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = (a[index] as number) - (b[index] as number);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Texts are compared by code point, as Go's bytes are: characters beyond the first plane come after all others. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index);
    const right = b.charCodeAt(index);
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** Moves the halves of characters beyond the first plane behind the characters that UTF-16 puts after them. */
const rank = (unit: number) => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** Order of two values of comparable types; undefined where a number is not a number. */
export function order(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Duration && b instanceof Duration) return compareNumbers(a.nanos, b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw new NoOverload();
}
