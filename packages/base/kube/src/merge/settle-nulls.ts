import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { type MergeType, typeUnder } from "./merge-type.ts";

/**
 * A value as a server that keeps structs reads it: a field that is null is left out, and a text that is null, under a free
 * key, is empty. What holds no null is shared.
 */
export function settleNulls(type: MergeType, value: Json): Json {
  if (Array.isArray(value)) return settleList(type, value);
  if (!isObject(value)) return value;
  const isStruct = type.map?.standing !== undefined && type.map.element === undefined;
  let settled: JsonObject | undefined;
  for (const key of Object.keys(value)) {
    const before = value[key] as Json;
    const inner = type.map === undefined ? type : typeUnder(type.map, key);
    const after = before === null ? zeroFor(inner, isStruct) : settleNulls(inner, before);
    if (after === before) continue;
    settled ??= { ...value };
    if (after === undefined) delete settled[key];
    else setOwn(settled, key, after);
  }
  return settled ?? value;
}

function settleList(type: MergeType, list: Json[]): Json {
  const element = type.list?.element ?? type;
  let settled: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const after = settleNulls(element, item);
    if (after === item) continue;
    settled ??= [...list];
    settled[index] = after;
  }
  return settled ?? list;
}

const zeroFor = (type: MergeType, isStruct: boolean) => (!isStruct && type.scalar === "string" ? "" : undefined);
