import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { isEmpty, type MergeType, typeUnder } from "./merge-type.ts";

/**
 * A value as a server that keeps structs stores it: fields that are null, and lists and maps that are empty, are left out;
 * a text that is null under a free key is empty. What needs no change is shared.
 */
export function settle(type: MergeType, value: Json): Json {
  if (Array.isArray(value)) return settleList(type, value);
  if (!isObject(value)) return value;
  let settled: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const before = value[key] as Json;
    const after = settleField(type, key, before);
    if (after === before) continue;
    settled ??= { ...value };
    if (after === undefined) delete settled[key];
    else setOwn(settled, key, after);
  }
  return settled ?? value;
}

function settleField(type: MergeType, key: string, value: Json): Json | undefined {
  if (type.map === undefined) return settle(type, value);
  const field = type.map.field(key);
  if (value === null) return field === undefined && type.map.element?.scalar === "string" ? "" : undefined;
  const settled = settle(typeUnder(type.map, key), value);
  return field?.omitsEmpty && isEmpty(settled) ? undefined : settled;
}

function settleList(type: MergeType, list: Json[]): Json {
  const element = type.list?.element ?? type;
  let settled: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const after = settle(element, item);
    if (after === item) continue;
    settled ??= [...list];
    settled[index] = after;
  }
  return settled ?? list;
}
