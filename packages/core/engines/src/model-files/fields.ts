import { getOwn, isObject, type Json, type JsonObject } from "@trivium/std";

/** Reads of JSON that anyone may have written: a field of the wrong type is the same as none. */
export function objectIn(value: Json | undefined, ...keys: readonly string[]): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  for (const key of keys) {
    const inner = getOwn(value, key);
    if (isObject(inner)) return inner;
  }
  return undefined;
}

export function textIn(value: JsonObject | undefined, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const inner = getOwn(value, key);
    if (typeof inner === "string" && inner !== "") return inner.slice(0, 256).toWellFormed();
  }
  return undefined;
}

/** A whole number from 0 to 2^53; configurations carry sentinels such as 1e30 that mean nothing. */
export function countIn(value: JsonObject | undefined, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const inner = getOwn(value, key);
    if (typeof inner === "number" && Number.isSafeInteger(inner) && inner >= 0) return inner;
  }
  return undefined;
}

/** The same, and not 0: a width or a number of layers that is 0 says that nobody filled it in. */
export function sizeIn(value: JsonObject | undefined, ...keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const inner = countIn(value, key);
    if (inner !== undefined && inner > 0) return inner;
  }
  return undefined;
}

export function flagIn(value: JsonObject | undefined, key: string): boolean | undefined {
  const inner = getOwn(value, key);
  return typeof inner === "boolean" ? inner : undefined;
}

export function textsIn(value: JsonObject | undefined, key: string): readonly string[] {
  const inner = getOwn(value, key);
  if (typeof inner === "string") return [inner];
  return Array.isArray(inner) ? inner.filter((each): each is string => typeof each === "string").slice(0, 4096) : [];
}

/** Leaves out what is undefined, as objects with optional fields want it. */
export function present<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
