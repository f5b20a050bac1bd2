import type { Schema } from "@trivium/schema";
import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { goText, goWord } from "./go-text.ts";
import { brokenPatch, rejectedPatch } from "./patch-error.ts";

interface ListMerge {
  readonly schema: Schema;
  /** How two items with the same key become one. */
  readonly mergeMaps: MergeMaps;
}

type MergeMaps = (original: JsonObject, patch: JsonObject, schema: Schema | undefined) => JsonObject;

/** Two lists of a field that merges: scalars as a set, maps by their merge key. */
export function mergeLists(live: readonly Json[], patch: readonly Json[], { schema, mergeMaps }: ListMerge): Json[] {
  if (live.length === 0 && patch.length === 0) return [];
  if (kindOfItems(live, patch) === "scalar") {
    const items = [...new Set([...live, ...patch])];
    return orderedBy({ items, order: patch, live, patch, key: undefined });
  }
  const key = schema["x-kubernetes-patch-merge-key"];
  if (key === undefined) throw brokenPatch("cannot merge lists without merge key for struct");
  const { kept, rest } = obeyItemDirectives(live as JsonObject[], patch as JsonObject[], key);
  const items = mergeItems(kept, rest, { key, schema: schema.items, mergeMaps });
  return orderedBy({ items, order: rest, live: kept, patch: rest, key });
}

export function removeFromList(live: readonly Json[], items: readonly Json[]): Json[] {
  if (live.length + items.length > 0) kindOfItems(live, items);
  const doomed = new Set(items);
  return live.filter((item) => !doomed.has(item));
}

/** Lists hold scalars or maps, never both, and never lists. */
function kindOfItems(...lists: (readonly Json[])[]): "scalar" | "map" {
  const items = lists.flat(1);
  const [first] = items;
  if (first === undefined) throw brokenPatch("no elements in any of the given slices");
  if (Array.isArray(first)) throw rejectedPatch("lists of lists are not supported");
  if (items.some((item) => Array.isArray(item) || isObject(item) !== isObject(first) || typeof item !== typeof first)) {
    throw brokenPatch(`list element types are not identical: ${goText(lists as Json)}`);
  }
  return isObject(first) ? "map" : "scalar";
}

interface Obeyed {
  readonly kept: readonly JsonObject[];
  readonly rest: readonly JsonObject[];
}

/** Carries out `$patch: delete` and `$patch: replace` among the items of a patch. */
function obeyItemDirectives(live: readonly JsonObject[], patch: readonly JsonObject[], key: string): Obeyed {
  const rest = patch.filter((item) => !Object.hasOwn(item, "$patch"));
  const doomed = new Set<Json | undefined>();
  let isReplaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, "$patch")) continue;
    const wanted = item.$patch;
    if (wanted === "delete") doomed.add(keyOf(item, key));
    else if (wanted === "replace") isReplaced = true;
    else if (wanted === "merge") throw brokenPatch("merging lists cannot yet be specified in the patch");
    else throw brokenPatch(`unknown patch type: ${goWord(wanted as Json)} in map: ${goText(item)}`);
  }
  if (isReplaced) return { kept: rest.map((item) => withoutNulls(item) as JsonObject), rest: [] };
  return { kept: live.filter((one) => !doomed.has(one[key])), rest };
}

function keyOf(item: JsonObject, key: string): Json {
  const value = item[key];
  if (value === undefined) throw brokenPatch(`map: ${goText(item)} does not contain declared merge key: ${key}`);
  return value;
}

interface ItemSchema {
  readonly key: string;
  readonly schema: Schema | undefined;
  readonly mergeMaps: MergeMaps;
}

function mergeItems(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  { key, schema, mergeMaps }: ItemSchema,
): JsonObject[] {
  const merged = [...live];
  const places = placesOf(live.map((one) => one[key] as Json));
  for (const item of patch) {
    const value = keyOf(item, key);
    const at = places.get(value);
    if (at === undefined) {
      places.set(value, merged.length);
      merged.push(withoutNulls(item) as JsonObject);
    } else merged[at] = mergeMaps(merged[at] as JsonObject, item, schema);
  }
  return merged;
}

/** Where each name stands first. Lists come from outside and may be long, so nothing is searched for item by item. */
function placesOf(names: readonly Json[]): Map<Json, number> {
  const places = new Map<Json, number>();
  for (const [at, name] of names.entries()) if (!places.has(name)) places.set(name, at);
  return places;
}

export interface Ordering {
  readonly items: readonly Json[];
  /** The order wanted of those items that it names. */
  readonly order: readonly Json[];
  readonly live: readonly Json[];
  readonly patch: readonly Json[];
  /** The merge key of maps; undefined for scalars. */
  readonly key: string | undefined;
}

/**
 * Items that are named come in the order wanted; the others keep their live order and stand before the first named item
 * that followed them in the live list.
 */
export function orderedBy({ items, order, live, patch, key }: Ordering): Json[] {
  checkOrder(patch, order, key);
  const nameOf = (item: Json) => (key === undefined ? item : keyOf(item as JsonObject, key));
  const wanted = placesOf(order.map(nameOf));
  const stood = placesOf(live.map(nameOf));
  const byPlace = (places: Map<Json, number>) => (a: Json, b: Json) =>
    (places.get(nameOf(a)) ?? -1) - (places.get(nameOf(b)) ?? -1);
  const named = items.filter((item) => wanted.has(nameOf(item))).sort(byPlace(wanted));
  const others = items.filter((item) => !wanted.has(nameOf(item))).sort(byPlace(stood));
  const placed: Json[] = [];
  let [nextNamed, nextOther] = [0, 0];
  while (nextOther < others.length && nextNamed < named.length) {
    const [other, next] = [others[nextOther] as Json, named[nextNamed] as Json];
    const [otherAt = -1, nextAt = -1] = [stood.get(nameOf(other)), stood.get(nameOf(next))];
    const isOtherFirst = otherAt >= 0 && nextAt >= 0 && otherAt < nextAt;
    placed.push(isOtherFirst ? other : next);
    if (isOtherFirst) nextOther++;
    else nextNamed++;
  }
  return [...placed, ...others.slice(nextOther), ...named.slice(nextNamed)];
}

/** The items of a patch must stand in the order that the patch itself asks for. */
function checkOrder(patch: readonly Json[], order: readonly Json[], key: string | undefined): void {
  if (patch === order || patch.length === 0 || order.length === 0) return;
  const nameOf = (item: Json) => (key === undefined ? item : keyOf(item as JsonObject, key));
  const pending = patch.filter((item) => !isObject(item) || !Object.hasOwn(item, "$patch"));
  let at = 0;
  for (const item of order) {
    if (at < pending.length && nameOf(pending[at] as Json) === nameOf(item)) at++;
  }
  if (at >= pending.length) return;
  const [patched, wanted] = [goText(patch as Json), goText(order as Json)];
  throw brokenPatch(`The order in patch list:\n${patched}\n doesn't match $setElementOrder list:\n${wanted}\n`);
}

/** In a struct a null is nothing, and a patch becomes a struct in the end. */
export function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setOwn(kept, key, withoutNulls(value[key] as Json));
  return kept;
}
