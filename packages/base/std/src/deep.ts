import type { Json, JsonObject } from "./json.ts";

/** Deep equality of plain values: key order does not matter, `undefined` properties count as absent. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(a, b);
  return !Array.isArray(b) && equalObjects(a as Record<string, unknown>, b as Record<string, unknown>);
}

function equalLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  return a.every((item, index) => deepEqual(item, b[index]));
}

function equalObjects(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  let present = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    present++;
    if (!Object.hasOwn(b, key) || !deepEqual(a[key], b[key])) return false;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) present--;
  return present === 0;
}

/** Freezes a value and everything in it; shared and cyclic values are fine. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** A copy of plain JSON that shares nothing with the original. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson((value as Record<string, unknown>)[key]));
  return copy as T;
}

/**
 * Sets a property whose name came from outside. Plain assignment to `__proto__` would change the prototype
 * instead of making a property, and drop the value.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    target[key] = value;
  }
}

/** Reads a property whose name came from outside; `constructor` and its kind are not found by accident. */
export function getOwn<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * JSON text with keys in code unit order, so that equal values have equal texts. Properties that are `undefined` are left out. Every pass
 * takes the text of every child, so a copy with sorted keys is written by the engine of the language, twice as fast as by hand.
 */
export function canonicalJson(value: unknown): string {
  const found = { numeric: false };
  const sorted = withSortedKeys(value, found);
  return found.numeric ? writeSorted(value) : (JSON.stringify(sorted) ?? "null");
}

/** The language keeps keys that are whole numbers first and by their value, so a copy cannot have them in another order. */
function withSortedKeys(value: unknown, found: { numeric: boolean }): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withSortedKeys(item, found));
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) {
    if (key >= "0" && key < ":") found.numeric = true;
    setOwn(sorted, key, withSortedKeys((value as Record<string, unknown>)[key], found));
  }
  return sorted;
}

function writeSorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => writeSorted(item ?? null)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const inner = value[key] as Json | undefined;
    if (inner !== undefined) parts.push(`${JSON.stringify(key)}:${writeSorted(inner)}`);
  }
  return `{${parts.join(",")}}`;
}
