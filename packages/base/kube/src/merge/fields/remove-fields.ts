import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { type ListType, type MapType, type MergeType, shapeOf, typeUnder } from "../merge-type.ts";
import { below, type FieldSet, isEmptySet, isMember } from "./field-set.ts";
import { itemElement } from "./path-element.ts";

/**
 * The value without the members of a set. A map or list that loses all it had becomes null, as on a real server;
 * atomic ones go as a whole when anything inside them should.
 */
export function removeFields(type: MergeType, value: JsonObject, set: FieldSet): JsonObject {
  return (remove(type, value, set) ?? {}) as JsonObject;
}

function remove(type: MergeType, value: Json, set: FieldSet): Json {
  switch (shapeOf(type, value)) {
    case "scalar":
      return value;
    case "list":
      return Array.isArray(value) ? removeItems(type.list as ListType, value, set) : null;
    case "map":
      return isObject(value) ? removeKeys(type.map as MapType, value, set) : null;
  }
}

function removeKeys(type: MapType, value: JsonObject, set: FieldSet): Json {
  if (type.isAtomic) return null;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) {
    const node = set[`f:${key}`] as FieldSet | undefined;
    if (node !== undefined && isMember(node)) continue;
    const inner = value[key] as Json;
    setOwn(kept, key, node === undefined ? inner : remove(typeUnder(type, key), inner, node));
  }
  return Object.keys(kept).length > 0 ? kept : null;
}

function removeItems(type: ListType, list: readonly Json[], set: FieldSet): Json {
  if (type.merges === "atomic") return null;
  const kept: Json[] = [];
  for (const item of list) {
    const element = itemElement(type, item);
    const node = typeof element === "string" ? (set[element] as FieldSet | undefined) : undefined;
    if (node !== undefined && isMember(node)) continue;
    const inner = node === undefined ? undefined : below(node);
    kept.push(inner === undefined || isEmptySet(inner) ? item : remove(type.element, item, inner));
  }
  return kept.length > 0 ? kept : null;
}
