import { cloneJson, getOwn, isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import type { Schema } from "./schema.ts";

/**
 * Fills in defaults, in place. A null where null is not allowed counts as absent: it is replaced by the default,
 * or taken away where there is none. A default may itself lack fields that have defaults; those are filled too.
 */
export function applyDefaults(schema: Schema, value: Json): void {
  if (Array.isArray(value)) defaultItems(schema, value);
  else if (isObject(value)) defaultProperties(schema, value);
}

function defaultProperties(schema: Schema, value: JsonObject): void {
  for (const key of keysWithDefault(schema)) {
    const property = schema.properties?.[key] as Schema;
    if (!Object.hasOwn(value, key) || isUnwantedNull(property, value[key])) {
      setOwn(value, key, cloneJson(property.default));
    }
  }
  for (const key of Object.keys(value)) {
    const inner = schemaOfField(schema, key);
    if (inner === undefined) continue;
    if (isUnwantedNull(inner, value[key])) {
      if (inner.default === undefined) delete value[key];
      else setOwn(value, key, cloneJson(inner.default));
    }
    applyDefaults(inner, value[key] as Json);
  }
}

function defaultItems(schema: Schema, list: Json[]): void {
  const items = schema.items;
  if (items === undefined) return;
  for (const [index, item] of list.entries()) {
    if (isUnwantedNull(items, item) && items.default !== undefined) list[index] = cloneJson(items.default);
    applyDefaults(items, list[index] as Json);
  }
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
function keysWithDefault(schema: Schema): readonly string[] {
  const properties = schema.properties;
  if (properties === undefined) return none;
  let keys = defaulted.get(properties);
  if (keys === undefined) {
    keys = Object.keys(properties).filter((key) => (properties[key]?.default ?? null) !== null);
    defaulted.set(properties, keys);
  }
  return keys;
}
