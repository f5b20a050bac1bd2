import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { itemElement, type PathElement } from "./fields/path-element.ts";
import { type ListType, type MapType, type MergeType, type Shape, shapeOf, typeUnder } from "./merge-type.ts";

type Maybe = Json | undefined;

/** The live object with a configuration laid over it. Nothing is removed; what the configuration leaves alone is shared. */
export function mergeValues(type: MergeType, live: JsonObject, config: JsonObject): JsonObject {
  return (merge(type, live, config) ?? {}) as JsonObject;
}

function merge(type: MergeType, live: Maybe, config: Maybe): Maybe {
  if (config === undefined || live === config) return live;
  const shape: Shape = shapeOf(type, config);
  if (shape === "scalar") return config;
  if (shape === "list") return mergeAsList(type.list as ListType, live, config);
  return mergeAsMap(type.map as MapType, live, config);
}

function mergeAsMap(type: MapType, live: Maybe, config: Maybe): Maybe {
  const [left, right] = [isObject(live) ? live : {}, isObject(config) ? config : {}];
  const isBare = Object.keys(left).length === 0 && Object.keys(right).length === 0;
  if (type.isAtomic || isBare) return config;
  const merged: JsonObject = {};
  for (const key of Object.keys(left)) {
    const over = Object.hasOwn(right, key) ? right[key] : undefined;
    setOwn(merged, key, merge(typeUnder(type, key), left[key], over));
  }
  for (const key of Object.keys(right)) {
    if (!Object.hasOwn(left, key)) setOwn(merged, key, right[key]);
  }
  return merged;
}

function mergeAsList(type: ListType, live: Maybe, config: Maybe): Maybe {
  const [left, right] = [Array.isArray(live) ? live : [], Array.isArray(config) ? config : []];
  if (type.merges === "atomic" || (left.length === 0 && right.length === 0)) return config;
  return mergeItems(type, left, right);
}

/**
 * Items of both lists: those of the configuration in its order, those that only the live list has where they stood
 * between their neighbours. Live items that are there twice are left alone unless the configuration names them.
 */
function mergeItems(type: ListType, left: readonly Json[], right: readonly Json[]): Json[] {
  const live = left.map((item) => named(type, item));
  const wanted = right.map((item) => named(type, item));
  const liveBy = byElement(live);
  const wantedBy = byElement(wanted);
  const shared = wanted.filter(({ element }) => liveBy.has(element)).map(({ element }) => element);
  const merged: Json[] = [];
  const done = new Set<PathElement>();
  let [l, r, s] = [0, 0, 0];
  const takeWanted = () => {
    const { element, item } = wanted[r++] as Named;
    done.add(element);
    merged.push(merge(type.element, liveBy.get(element) ?? undefined, item) as Json);
    if (shared[s] === element) s++;
  };
  while (l < live.length || r < wanted.length) {
    const here = live[l];
    if (here !== undefined && r < wanted.length) {
      if (here.element === wanted[r]?.element) {
        l++;
        takeWanted();
        continue;
      }
      const isLater = wantedBy.has(here.element) && s < shared.length && shared[s] !== here.element;
      if (isLater) {
        l++;
        continue;
      }
    }
    if (here !== undefined) {
      if (!wantedBy.has(here.element)) {
        merged.push(here.item);
        l++;
        continue;
      }
      if (done.has(here.element)) l++;
    }
    if (r < wanted.length) takeWanted();
  }
  return merged;
}

interface Named {
  readonly element: PathElement;
  readonly item: Json;
}

function named(type: ListType, item: Json): Named {
  const element = itemElement(type, item);
  return { element: typeof element === "string" ? element : JSON.stringify(item), item };
}

/** The item of each step; null for a step that more than one item has, which is then not merged into. */
function byElement(items: readonly Named[]): Map<PathElement, Json | null> {
  const index = new Map<PathElement, Json | null>();
  for (const { element, item } of items) index.set(element, index.has(element) ? null : item);
  return index;
}
