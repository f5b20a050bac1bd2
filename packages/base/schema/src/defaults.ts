import { cloneJson, getOwn, isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import type { Schema } from "./schema.ts";

/** Bytes of JSON that defaults may add to one object: as much as the largest object may have. */
export const maxDefaultBytes = 3 * 1024 * 1024;

/** Defaults multiply in lists: a small object and a small schema can make gigabytes. */
export class DefaultsTooLarge extends Error {
  constructor() {
    super(`the defaults of its schema add more than ${maxDefaultBytes} bytes to the object`);
    this.name = "DefaultsTooLarge";
  }
}

/**
 * Fills in defaults, in place. A null where null is not allowed counts as absent: it is replaced by the default,
 * or taken away where there is none. A default may itself lack fields that have defaults; those are filled too.
 * Throws `DefaultsTooLarge` when they add more than an object may have; then some of them are filled in.
 */
export function applyDefaults(schema: Schema, value: Json): void {
  new Filling().fill(schema, value);
}

/** One object being filled, and how much its defaults may still add. */
class Filling {
  #left = maxDefaultBytes;

  fill(schema: Schema, value: Json): void {
    if (Array.isArray(value)) this.#items(schema, value);
    else if (isObject(value)) this.#properties(schema, value);
  }

  #properties(schema: Schema, value: JsonObject): void {
    for (const key of keysWithDefault(schema)) {
      const property = schema.properties?.[key] as Schema;
      if (Object.hasOwn(value, key) && !isUnwantedNull(property, value[key])) continue;
      this.#left -= key.length;
      setOwn(value, key, this.#defaultOf(property));
    }
    for (const key of Object.keys(value)) {
      const inner = schemaOfField(schema, key);
      if (inner === undefined) continue;
      if (isUnwantedNull(inner, value[key])) {
        if (inner.default === undefined) delete value[key];
        else setOwn(value, key, this.#defaultOf(inner));
      }
      this.fill(inner, value[key] as Json);
    }
  }

  #items(schema: Schema, list: Json[]): void {
    const items = schema.items;
    if (items === undefined) return;
    for (const [index, item] of list.entries()) {
      if (isUnwantedNull(items, item) && items.default !== undefined) list[index] = this.#defaultOf(items);
      this.fill(items, list[index] as Json);
    }
  }

  #defaultOf(schema: Schema): Json {
    this.#left -= ownSizeOf(schema);
    if (this.#left < 0) throw new DefaultsTooLarge();
    return cloneJson(schema.default) as Json;
  }
}

const ownSizes = new WeakMap<Schema, number>();

/** Bytes of a default as it is written, without those inside it. */
function ownSizeOf(schema: Schema): number {
  if (typeof schema.default !== "object") return typeof schema.default === "string" ? schema.default.length + 2 : 8;
  let size = ownSizes.get(schema);
  if (size === undefined) {
    size = JSON.stringify(schema.default).length;
    ownSizes.set(schema, size);
  }
  return size;
}

const isUnwantedNull = (schema: Schema, value: Json | undefined) => value === null && schema.nullable !== true;

/** The schema that describes a property: by its name, or the one of all others. */
export function schemaOfField(schema: Schema, key: string): Schema | undefined {
  const property = getOwn(schema.properties, key);
  if (property !== undefined) return property;
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

const none: readonly string[] = [];
const defaulted = new WeakMap<object, readonly string[]>();

/** Most objects have no defaults at most levels, so the search is done once for each schema. */
export function keysWithDefault(schema: Schema): readonly string[] {
  const properties = schema.properties;
  if (properties === undefined) return none;
  let keys = defaulted.get(properties);
  if (keys === undefined) {
    keys = Object.keys(properties).filter((key) => (properties[key]?.default ?? null) !== null);
    defaulted.set(properties, keys);
  }
  return keys;
}
