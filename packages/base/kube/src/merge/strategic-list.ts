import type { Schema } from "@trivium/schema";
import { isObject, type Json, type JsonObject } from "@trivium/std";
import { goText, goWord } from "./go-text.ts";
import { brokenPatch, rejectedPatch } from "./patch-error.ts";
import { mergeMaps, withoutNulls } from "./strategic.ts";

/** Two lists of a field that merges: scalars as a set, maps by their merge key. */
export function mergeLists(live: readonly Json[], patch: readonly Json[], schema: Schema): Json[] {
  if (live.length === 0 && patch.length === 0) return [];
  if (kindOfItems(live, patch) === "scalar") {
    const items = [...new Set([...live, ...patch])];
    return orderedBy({ items, order: patch, live, patch, key: undefined });
  }
  const key = schema["x-kubernetes-patch-merge-key"];
  if (key === undefined) throw brokenPatch("cannot merge lists without merge key for struct");
  const { kept, rest } = obeyItemDirectives(live as JsonObject[], patch as JsonObject[], key);
  const items = mergeItems(kept, rest, { key, schema: schema.items });
  return orderedBy({ items, order: rest, live: kept, patch: rest, key });
}

export function removeFromList(live: readonly Json[], items: readonly Json[]): Json[] {
  if (live.length + items.length > 0) kindOfItems(live, items);
  return live.filter((item) => !items.includes(item));
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
  let kept = live;
  let isReplaced = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, "$patch")) continue;
    const wanted = item.$patch;
    if (wanted === "delete") {
      const doomed = keyOf(item, key);
      kept = kept.filter((one) => one[key] !== doomed);
    } else if (wanted === "replace") isReplaced = true;
    else if (wanted === "merge") throw brokenPatch("merging lists cannot yet be specified in the patch");
    else throw brokenPatch(`unknown patch type: ${goWord(wanted as Json)} in map: ${goText(item)}`);
  }
  return isReplaced ? { kept: rest.map((item) => withoutNulls(item) as JsonObject), rest: [] } : { kept, rest };
}

function keyOf(item: JsonObject, key: string): Json {
  const value = item[key];
  if (value === undefined) throw brokenPatch(`map: ${goText(item)} does not contain declared merge key: ${key}`);
  return value;
}

interface ItemSchema {
  readonly key: string;
  readonly schema: Schema | undefined;
}

function mergeItems(
  live: readonly JsonObject[],
  patch: readonly JsonObject[],
  { key, schema }: ItemSchema,
): JsonObject[] {
  const merged = [...live];
  for (const item of patch) {
    const value = keyOf(item, key);
    const at = merged.findIndex((one) => one[key] === value);
    if (at < 0) merged.push(withoutNulls(item) as JsonObject);
    else merged[at] = mergeMaps(merged[at] as JsonObject, item, schema);
  }
  return merged;
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
  const wanted = order.map(nameOf);
  const stood = live.map(nameOf);
  const isWanted = (item: Json) => wanted.includes(nameOf(item));
  const byPlace = (places: readonly Json[]) => (a: Json, b: Json) =>
    places.indexOf(nameOf(a)) - places.indexOf(nameOf(b));
  const named = items.filter(isWanted).sort(byPlace(wanted));
  const others = items.filter((item) => !isWanted(item)).sort(byPlace(stood));
  const placed: Json[] = [];
  while (others.length > 0 && named.length > 0) {
    const [other, next] = [stood.indexOf(nameOf(others[0] as Json)), stood.indexOf(nameOf(named[0] as Json))];
    const isOtherFirst = other >= 0 && next >= 0 && other < next;
    placed.push((isOtherFirst ? others : named).shift() as Json);
  }
  return [...placed, ...others, ...named];
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
