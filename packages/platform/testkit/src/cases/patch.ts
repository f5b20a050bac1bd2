import { isObject, type Json, type JsonObject } from "@trivium/std";
import { namesOf } from "./identity.ts";
import { anyKey, stepsOf } from "./path.ts";

/** A digest that is not the one of the base. What it is exactly shows in the base alone. */
export const changedDigest = "$changed";

/** What an expected digest is compared with: anything but the one of the base. */
export const notDigest = (base: string): string => `${changedDigest}:${base}`;

/**
 * A merge patch. In a map, null removes a key. A map on a list patches the items that it names; a list replaces a list.
 * `$replace` sets a value without merging, `$order` names all items of a patched list in their order.
 */
export function applyPatch(base: Json | undefined, patch: Json, at = ""): Json {
  if (patch === changedDigest) {
    if (typeof base !== "string") throw new Error(`${at}: the base has no digest here that could have changed`);
    return notDigest(base);
  }
  if (!isObject(patch)) return patch;
  if (Object.hasOwn(patch, "$replace")) return patch.$replace as Json;
  if (Array.isArray(base)) return patchList(base, patch, at);
  return patchMap(isObject(base) ? base : {}, patch, at);
}

function patchMap(base: JsonObject, patch: JsonObject, at: string): JsonObject {
  const result = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    const [step = "", ...rest] = stepsOf(key);
    const place = at === "" ? step : `${at}.${step}`;
    const inner = innerOf(rest, value);
    if (inner !== null) result[step] = applyPatch(result[step], inner, place);
    else if (Object.hasOwn(result, step)) delete result[step];
    else throw new Error(`${place} does not exist in the base, so it cannot be removed`);
  }
  return result;
}

const innerOf = (rest: readonly string[], value: Json): Json =>
  rest.reduceRight<Json>((inner, step) => ({ [anyKey(step)]: inner }), value);

function patchList(base: readonly Json[], { $order, ...patch }: JsonObject, at: string): Json[] {
  const names = namesOf(base) ?? base.map((_, index) => String(index));
  const items = new Map(names.map((name, index) => [name, base[index] as Json]));
  for (const [key, value] of Object.entries(patch)) {
    const [step = "", ...rest] = stepsOf(key);
    const place = `${at}.${step}`;
    const inner = innerOf(rest, value);
    if (!items.has(step) && (inner === null || !isNew(step, inner, base)))
      throw new Error(`${place} does not exist in the base, which has ${names.join(", ") || "an empty list"}`);
    if (inner === null) items.delete(step);
    else items.set(step, applyPatch(items.get(step), inner, place));
  }
  if ($order === undefined) return [...items.values()];
  return ordered(items, $order as string[], at);
}

function ordered(items: ReadonlyMap<string, Json>, order: readonly string[], at: string): Json[] {
  if (order.length !== items.size || order.some((name) => !items.has(name)))
    throw new Error(`${at}: $order must name all items once: ${[...items.keys()].join(", ")}`);
  return order.map((name) => items.get(name) as Json);
}

/** A misspelt name must not pass for a new item: what is new has its name inside. */
function isNew(step: string, value: Json, base: readonly Json[]): boolean {
  const names = namesOf([applyPatch(undefined, value)], base);
  return names === undefined ? namesOf(base) === undefined && step === String(base.length) : names[0] === step;
}
