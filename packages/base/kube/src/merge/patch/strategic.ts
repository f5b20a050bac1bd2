import type { Schema } from "@trivium/schema";
import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { goText, goType, goWord } from "./go-text.ts";
import { badPatch, brokenPatch } from "./patch-error.ts";
import { mergeLists, orderedBy, removeFromList, withoutNulls } from "./strategic-list.ts";

const directive = "$patch";
const retainKeys = "$retainKeys";
const deleteFromList = "$deleteFromPrimitiveList";
const setOrder = "$setElementOrder";

/**
 * A strategic merge patch on an object of a built-in kind. How lists merge, and by which key, is in the schema.
 * Neither input is changed.
 */
export function applyStrategicMergePatch(target: Json, patch: Json, schema: Schema): Json {
  if (patch === null) return target;
  if (!isObject(patch)) {
    const found = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
    throw badPatch(`json: cannot unmarshal ${found} into Go value of type map[string]interface {}`);
  }
  return mergeMaps(isObject(target) ? target : {}, patch, schema);
}

/** Two maps merged key by key; the directives in the patch say what else is to happen. */
function mergeMaps(original: JsonObject, patch: JsonObject, schema: Schema | undefined): JsonObject {
  if (Object.hasOwn(patch, directive)) return obeyDirective(patch);
  const merged = retained(original, patch);
  const handled = new Set<string>([retainKeys]);
  for (const key of Object.keys(patch)) {
    if (!key.startsWith(setOrder)) continue;
    handled.add(key);
    const field = fieldNamedBy(key, "invalid patch format of setElementOrder list");
    if (mergeInOrder({ merged, patch, schema, field, order: patch[key] as Json })) handled.add(field);
  }
  for (const key of Object.keys(patch)) if (!handled.has(key)) mergeKey(merged, key, patch[key] as Json, schema);
  return merged;
}

function obeyDirective(patch: JsonObject): JsonObject {
  const { [directive]: wanted, ...rest } = patch;
  if (wanted === "replace") return withoutNulls(rest) as JsonObject;
  if (wanted === "delete") return {};
  throw brokenPatch(`unknown patch type: ${goWord(wanted as Json)} in map: ${goText(patch)}`);
}

/** A copy of the original, cut down to the keys that the patch wants to retain if it says so. */
function retained(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, retainKeys)) return { ...original };
  const keys = patch[retainKeys];
  const wrong = badPatch("invalid patch format of retainKeys");
  if (!Array.isArray(keys)) throw wrong;
  const names = new Set(keys);
  for (const [key, value] of Object.entries(patch)) {
    if (key === retainKeys || value === null || key.startsWith(deleteFromList) || key.startsWith(setOrder)) continue;
    if (!names.has(key)) throw wrong;
  }
  const kept: JsonObject = {};
  for (const key of Object.keys(original)) if (names.has(key)) setOwn(kept, key, original[key]);
  return kept;
}

function mergeKey(merged: JsonObject, key: string, value: Json, schema: Schema | undefined): void {
  if (key.startsWith(deleteFromList)) {
    deleteItems(merged, fieldNamedBy(key, "invalid patch format of primitive list"), value);
    return;
  }
  if (value === null) {
    delete merged[key];
    return;
  }
  const before = Object.hasOwn(merged, key) ? merged[key] : undefined;
  const field = propertyOf(schema, key);
  const strategy = strategyOf(field);
  if (isObject(before) && isObject(value)) {
    setOwn(merged, key, strategy === "replace" ? withoutNulls(value) : mergeMaps(before, value, field));
  } else if (Array.isArray(before) && Array.isArray(value)) {
    setOwn(
      merged,
      key,
      strategy === "merge" ? mergeLists(before, value, { schema: field as Schema, mergeMaps }) : withoutNulls(value),
    );
  } else {
    const added = withoutDirectives(withoutNulls(value));
    if (added === undefined) delete merged[key];
    else setOwn(merged, key, added);
  }
}

function deleteItems(merged: JsonObject, field: string, items: Json): void {
  const before = Object.hasOwn(merged, field) ? merged[field] : undefined;
  if (items === null) delete merged[field];
  else if (Array.isArray(before) && Array.isArray(items)) setOwn(merged, field, removeFromList(before, items));
}

interface OrderedField {
  readonly merged: JsonObject;
  readonly patch: JsonObject;
  readonly schema: Schema | undefined;
  readonly field: string;
  readonly order: Json;
}

/** Merges one list and puts it in the order that the patch asks for. Tells whether there was such a list. */
function mergeInOrder({ merged, patch, schema, field, order }: OrderedField): boolean {
  const before = Object.hasOwn(merged, field) ? merged[field] : undefined;
  const change = Object.hasOwn(patch, field) ? patch[field] : undefined;
  const [orderList, beforeList, changeList] = [order, before ?? [], change ?? []].map(asList);
  const property = propertyOf(schema, field);
  if (orderList === undefined || beforeList === undefined || changeList === undefined) return false;
  if (before === undefined && change === undefined) return false;
  const isMerging = strategyOf(property) === "merge";
  const both =
    before === undefined
      ? ((withoutDirectives(changeList) ?? []) as Json[])
      : change === undefined
        ? beforeList
        : isMerging
          ? mergeLists(beforeList, changeList, { schema: property as Schema, mergeMaps })
          : changeList;
  const key = property?.["x-kubernetes-patch-merge-key"];
  setOwn(merged, field, orderedBy({ items: both, order: orderList, live: beforeList, patch: changeList, key }));
  return true;
}

function asList(value: Json): Json[] {
  if (Array.isArray(value)) return value;
  throw brokenPatch(`expected a []interface {}, but received a ${goType(value)}`);
}

/** `containers` of `$setElementOrder/containers`. */
function fieldNamedBy(key: string, fault: string): string {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  if (prefix !== setOrder && prefix !== deleteFromList) throw badPatch(fault);
  return key.slice(slash + 1);
}

function propertyOf(schema: Schema | undefined, key: string): Schema | undefined {
  const properties = schema?.properties;
  return properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** `merge`, `replace` or nothing; `retainKeys` beside it only tells clients what to send. */
function strategyOf(schema: Schema | undefined): string | undefined {
  return schema?.["x-kubernetes-patch-strategy"]?.split(",").find((strategy) => strategy !== "retainKeys");
}

/** What remains of a patch where there is nothing to merge it with; undefined for a map that carries a directive. */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const inner = withoutDirectives(value[key] as Json);
    if (inner !== undefined) setOwn(kept, key, inner);
  }
  return kept;
}
