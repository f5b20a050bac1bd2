import { canonicalJson, getOwn, isObject, type Json, type JsonObject } from "@trivium/std";
import { duplicate, type FieldError, invalid } from "../field-error.ts";
import { reaches } from "../reach.ts";
import type { Schema } from "../schema.ts";

/** Lists that are sets hold no element twice, lists that are maps no key twice. Keys of maps are written `spec.ports[http]`. */
export function checkListTypes(schema: Schema, value: Json, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (mayHaveListTypes(schema)) checkValue({ schema, value, path }, errors);
  return errors;
}

interface Place {
  readonly schema: Schema;
  readonly value: Json;
  readonly path: string;
}

function checkValue(place: Place, errors: FieldError[]): void {
  const { schema, value, path } = place;
  if (Array.isArray(value)) {
    checkList(schema, value, { path, errors });
    const { items } = schema;
    if (items === undefined || !mayHaveListTypes(items)) return;
    for (const [index, item] of value.entries())
      checkValue({ schema: items, value: item, path: `${path}[${index}]` }, errors);
  } else if (isObject(value)) {
    for (const key of Object.keys(value)) {
      const property = getOwn(schema.properties, key);
      const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
      const inner = property ?? others;
      if (inner === undefined || !mayHaveListTypes(inner)) continue;
      const at = property === undefined ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      checkValue({ schema: inner, value: value[key] as Json, path: at }, errors);
    }
  }
}

function checkList(schema: Schema, list: readonly Json[], at: { path: string; errors: FieldError[] }): void {
  if (schema["x-kubernetes-list-type"] === "set") addRepeats(list, at);
  if (schema["x-kubernetes-list-type"] !== "map") return;
  const strange = list.findIndex((item) => item !== null && !isObject(item));
  if (strange >= 0) {
    const words = "must be an object for an array of list-type map";
    at.errors.push(invalid(`${at.path}[${strange}]`, list[strange] as Json, words));
    return;
  }
  const names = schema["x-kubernetes-list-map-keys"] ?? [];
  addRepeats(
    list.map((item) => keyOf(item as JsonObject | null, names)),
    at,
  );
}

/** The properties that tell one element of a list-map from another; those that are absent are left out. */
export function keyOf(item: JsonObject | null, names: readonly string[]): JsonObject {
  const key: JsonObject = {};
  for (const name of names) if (item !== null && Object.hasOwn(item, name)) key[name] = item[name] as Json;
  return key;
}

/** Only the second of equal elements is told, as the real server does. */
function addRepeats(elements: readonly Json[], { path, errors }: { path: string; errors: FieldError[] }): void {
  if (elements.length < 2) return;
  const times = new Map<string, number>();
  for (const [index, element] of elements.entries()) {
    const text = canonicalJson(element);
    const observed = (times.get(text) ?? 0) + 1;
    times.set(text, observed);
    if (observed === 2) errors.push(duplicate(`${path}[${index}]`, element));
  }
}

const mayHaveListTypes = reaches((schema) => {
  const type = schema["x-kubernetes-list-type"];
  return type === "set" || type === "map";
});
