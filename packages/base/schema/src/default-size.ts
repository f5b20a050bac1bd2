import { isObject, type Json, type JsonObject } from "@trivium/std";
import { keysWithDefault, schemaOfField } from "./defaults.ts";
import type { Schema } from "./schema.ts";

const sizes = new WeakMap<Schema, number>();

/**
 * Bytes of JSON that the default of a schema takes once the defaults inside it are filled in, about. Lists in defaults whose
 * items have defaults multiply at each level, so the size is computed and never built.
 */
export function sizeOfDefault(schema: Schema): number {
  let size = sizes.get(schema);
  if (size === undefined) {
    size = sizeWithDefaults(schema, schema.default ?? null);
    sizes.set(schema, size);
  }
  return size;
}

/** Bytes of JSON that a value takes with its defaults, about. */
export function sizeWithDefaults(schema: Schema | undefined, value: Json): number {
  if (Array.isArray(value))
    return value.reduce((sum: number, item) => sum + 1 + sizeWithDefaults(schema?.items, item), 2);
  if (isObject(value)) return sizeOfObject(schema, value);
  return typeof value === "string" ? value.length + 2 : String(value).length;
}

function sizeOfObject(schema: Schema | undefined, value: JsonObject): number {
  let size = 2;
  for (const [key, inner] of Object.entries(value)) {
    size += key.length + 4 + sizeWithDefaults(schema === undefined ? undefined : schemaOfField(schema, key), inner);
  }
  for (const key of schema === undefined ? [] : keysWithDefault(schema)) {
    if (!Object.hasOwn(value, key)) size += key.length + 4 + sizeOfDefault(schema?.properties?.[key] as Schema);
  }
  return size;
}
