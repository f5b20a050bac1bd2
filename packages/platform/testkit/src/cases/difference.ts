import { deepEqual, isObject, type Json, type JsonObject } from "@trivium/std";
import { namesOf } from "./identity.ts";
import { changedDigest } from "./patch.ts";
import { canJoin, keyOf } from "./path.ts";

/** The patch that leads from one value to another; nothing where they are equal. */
export function differenceOf(base: Json | undefined, value: Json): Json | undefined {
  if (base !== undefined && deepEqual(base, value)) return undefined;
  const patch = patchBetween(base, value);
  const whole = isObject(value) || value === null ? { $replace: value } : value;
  return sizeOf(whole) < worthRepeating * sizeOf(patch) ? whole : joined(patch);
}

/** Repeating what the base has must save much: a repeated message is one more file to change. */
const worthRepeating = 0.6;

const sizeOf = (value: Json): number => JSON.stringify(value).length;

function patchBetween(base: Json | undefined, value: Json): Json {
  if (Array.isArray(value)) return (Array.isArray(base) ? listPatch(base, value) : undefined) ?? value;
  if (!isObject(value)) return value === null ? { $replace: null } : value;
  if (Array.isArray(base)) return { $replace: value };
  return mapPatch(isObject(base) ? base : {}, value);
}

function mapPatch(base: JsonObject, value: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const inner = isOtherDigest(key, base[key], item) ? changedDigest : differenceOf(base[key], item);
    if (inner !== undefined) patch[keyOf(key)] = inner;
  }
  for (const key of Object.keys(base)) if (!Object.hasOwn(value, key)) patch[keyOf(key)] = null;
  return patch;
}

/** Annotations that show whether pods are current follow from everything else that a pod has. */
const isOtherDigest = (key: string, base: Json | undefined, value: Json): boolean =>
  key.includes("/") && base !== value && [base, value].every((one) => /^[0-9a-f]{16}$/.test(String(one)));

function listPatch(base: readonly Json[], value: readonly Json[]): Json | undefined {
  const before = namesOf(base);
  const after = namesOf(value, base);
  if (before === undefined || after === undefined) return indexPatch(base, value);
  const patch: JsonObject = {};
  for (const [index, name] of after.entries()) {
    const inner = differenceOf(base[before.indexOf(name)], value[index] as Json);
    if (inner !== undefined) patch[keyOf(name)] = inner;
  }
  for (const name of before) if (!after.includes(name)) patch[keyOf(name)] = null;
  const natural = [...before.filter((name) => after.includes(name)), ...after.filter((name) => !before.includes(name))];
  return deepEqual(natural, after) ? patch : { ...patch, $order: after };
}

/** Items without names are told apart by their place, as long as none is added or removed. */
function indexPatch(base: readonly Json[], value: readonly Json[]): Json | undefined {
  if (base.length !== value.length || namesOf(base) !== undefined || ![...base, ...value].every(isObject))
    return undefined;
  const inner = value.map((item, index) => [String(index), differenceOf(base[index], item)] as const);
  return Object.fromEntries(inner.filter((one): one is [string, Json] => one[1] !== undefined));
}

/** A map with one key stands on the line of its parent. */
function joined(patch: Json): Json {
  if (!isObject(patch)) return patch;
  return Object.fromEntries(
    Object.entries(patch).map(([key, value]) => {
      const [inner, ...others] = isObject(value) ? Object.keys(value) : [];
      const isSingle = inner !== undefined && others.length === 0 && canJoin(inner) && canJoin(key);
      return isSingle ? [`${key}.${inner}`, (value as JsonObject)[inner] as Json] : [key, value];
    }),
  );
}
