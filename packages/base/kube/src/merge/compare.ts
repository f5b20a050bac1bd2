import { deepEqual, isObject, type Json, type JsonObject } from "@trivium/std";
import { type FieldSet, noFields, unionOfNodes } from "./fields/field-set.ts";
import { itemElement, type PathElement } from "./fields/path-element.ts";
import {
  type Field,
  type ListType,
  type MapType,
  type MergeType,
  type Shape,
  shapeOf,
  standingValue,
  typeUnder,
} from "./merge-type.ts";

/** What differs between two objects of a type. Whoever writes the second one owns what `changed` and loses what `removed`. */
export interface Comparison {
  /** Added, or there in both and different. */
  readonly changed: FieldSet;
  readonly removed: FieldSet;
}

/**
 * Whether the second object is a stored one or merged from a configuration. In structs, a stored object has all fields
 * that always stand; a configuration has only what it says.
 */
export type RightSide = "stored" | "merged";

/** Runs on every write: values that are one and the same are passed over, and nothing is made where nothing differs. */
export function compare(type: MergeType, left: JsonObject, right: JsonObject, side: RightSide = "stored"): Comparison {
  const found = new Walk(side).values(type, left, right);
  return { changed: found?.changed ?? noFields, removed: found?.removed ?? noFields };
}

/** Nodes of the two sets at one place. Made here and not shared, so they may grow. */
interface Found {
  changed: FieldSet | undefined;
  removed: FieldSet | undefined;
}

/** The set of which the place itself is a member. Said before the node grows: copying one of many steps is slow. */
type Self = "changed" | "removed";

type Maybe = Json | undefined;
type MaybeMap = JsonObject | undefined;

class Noted implements Found {
  changed: FieldSet | undefined;
  removed: FieldSet | undefined;
  private readonly self: Self | undefined;

  constructor(self: Self | undefined) {
    this.self = self;
  }

  note(element: PathElement, found: Found | undefined): void {
    if (found?.changed !== undefined) {
      this.changed ??= this.self === "changed" ? { ".": {} } : {};
      this.changed[element] = found.changed;
    }
    if (found?.removed !== undefined) {
      this.removed ??= this.self === "removed" ? { ".": {} } : {};
      this.removed[element] = found.removed;
    }
  }

  orNothing(): Found | undefined {
    return this.changed === undefined && this.removed === undefined ? undefined : this;
  }
}

class Walk {
  private readonly side: RightSide;

  constructor(side: RightSide) {
    this.side = side;
  }

  values(type: MergeType, left: Maybe, right: Maybe): Found | undefined {
    if (left === right) return undefined;
    const shape = shapeOf(type, right === undefined ? left : right);
    if (left === undefined) return this.added(type, shape, right);
    if (right === undefined) return this.removed(type, shape, left);
    const before = shapeOf(type, left);
    const found = this.readAs(type, shape, left, right);
    // A value that changed its kind is looked at as both: what it was goes, what it is comes.
    return before === shape ? found : joined(this.readAs(type, before, left, right), found);
  }

  private readAs(type: MergeType, shape: Shape, left: Maybe, right: Maybe): Found | undefined {
    if (isLeaf(type, shape, left, right))
      return deepEqual(left, right) ? undefined : { changed: {}, removed: undefined };
    return this.inside(type, shape, left, right);
  }

  private added(type: MergeType, shape: Shape, right: Maybe): Found {
    const found = isLeaf(type, shape, undefined, right)
      ? undefined
      : this.inside(type, shape, undefined, right, "changed");
    return { changed: found?.changed ?? {}, removed: found?.removed };
  }

  private removed(type: MergeType, shape: Shape, left: Maybe): Found {
    const found = isLeaf(type, shape, left, undefined)
      ? undefined
      : this.inside(type, shape, left, undefined, "removed");
    return { changed: found?.changed, removed: found?.removed ?? {} };
  }

  private inside(type: MergeType, shape: Shape, left: Maybe, right: Maybe, self?: Self): Found | undefined {
    const found = new Noted(self);
    if (shape === "list") return this.lists(type.list as ListType, listOf(left), listOf(right), found);
    const map = type.map as MapType;
    if (map.standing === undefined) this.maps(map, mapOf(left), mapOf(right), found);
    else this.structs(map, mapOf(left), mapOf(right), found);
    return found.orNothing();
  }

  private maps(type: MapType, left: MaybeMap, right: MaybeMap, found: Noted): void {
    for (const key in right) this.entry(type, key, ownValue(left, key), right[key], found);
    for (const key in left) {
      if (ownValue(right, key) === undefined) this.entry(type, key, left[key], undefined, found);
    }
  }

  private structs(type: MapType, left: MaybeMap, right: MaybeMap, found: Noted): void {
    for (const key in right) this.field(type, key, left, right, found);
    for (const key in left) if (ownValue(right, key) === undefined) this.field(type, key, left, right, found);
    if (left !== undefined && right !== undefined) return;
    for (const { name } of type.standing ?? []) {
      if (ownValue(left ?? right, name) === undefined) this.field(type, name, left, right, found);
    }
  }

  private field(type: MapType, key: string, left: MaybeMap, right: MaybeMap, found: Noted): void {
    const before = ownValue(left, key);
    const after = ownValue(right, key);
    if (before === after && left !== undefined && right !== undefined) return;
    const field = type.field(key);
    if (field === undefined) {
      this.entry(type, key, before, after, found);
      return;
    }
    const from = left === undefined ? undefined : standingValue(field, before);
    const to = right === undefined ? undefined : this.standingRight(field, after, left);
    const areBoth = left !== undefined && right !== undefined;
    if (areBoth && field.blank !== undefined && isBlank(from, field) && isBlank(to, field)) return;
    this.entry(type, key, from, to, found);
  }

  private standingRight(field: Field, value: Maybe, left: MaybeMap): Maybe {
    if (this.side === "stored") return standingValue(field, value);
    return value === undefined && left !== undefined ? field.zero : value;
  }

  private entry(type: MapType, key: string, left: Maybe, right: Maybe, found: Noted): void {
    if (left === right) return;
    const inner = this.values(typeUnder(type, key), left, right);
    if (inner !== undefined) found.note(`f:${key}`, inner);
  }

  private lists(type: ListType, left: readonly Json[], right: readonly Json[], found: Noted): Found | undefined {
    // Most lists are as they were, and finding that out is cheaper than naming their items.
    if (deepEqual(left, right)) return undefined;
    const before = indexed(type, left);
    const after = indexed(type, right);
    for (const [element, items] of after) found.note(element, this.items(type, before.get(element), items));
    for (const [element, items] of before) {
      if (!after.has(element)) found.note(element, this.items(type, items, undefined));
    }
    return found.orNothing();
  }

  /** Items that are there more than once are owned as one. */
  private items(type: ListType, left: Json[] | undefined, right: Json[] | undefined): Found | undefined {
    const isTwiceLeft = left !== undefined && left.length > 1;
    const isTwiceRight = right !== undefined && right.length > 1;
    if (!isTwiceLeft && !isTwiceRight) return this.values(type.element, left?.[0], right?.[0]);
    if (isTwiceLeft && isTwiceRight) return deepEqual(left, right) ? undefined : { changed: {}, removed: undefined };
    if (isTwiceLeft) return { changed: this.values(type.element, undefined, right?.[0])?.changed, removed: {} };
    return { changed: {}, removed: this.values(type.element, left?.[0], undefined)?.removed };
  }
}

const isBlank = (value: Maybe, { blank }: Field) => value === undefined || value === blank;
const listOf = (value: Maybe): Json[] => (Array.isArray(value) ? value : []);
const mapOf = (value: Maybe): MaybeMap => (isObject(value) ? value : undefined);

const ownValue = (map: MaybeMap, key: string): Maybe =>
  map !== undefined && Object.hasOwn(map, key) ? map[key] : undefined;

/** Scalars, atomic lists and maps, and empty ones: the place is owned as one. */
function isLeaf(type: MergeType, shape: Shape, left: Maybe, right: Maybe): boolean {
  if (shape === "scalar") return true;
  if (shape === "list") {
    return type.list?.merges === "atomic" || (listOf(left).length === 0 && listOf(right).length === 0);
  }
  const map = type.map as MapType;
  return map.isAtomic || (isBare(mapOf(left), map) && isBare(mapOf(right), map));
}

function isBare(map: MaybeMap, type: MapType): boolean {
  if (map === undefined) return true;
  if (type.standing !== undefined && type.standing.length > 0) return false;
  for (const _ in map) return false;
  return true;
}

/** Items by their step. Stored lists may hold the same item twice; items that cannot be named are passed over. */
function indexed(type: ListType, list: readonly Json[]): Map<PathElement, Json[]> {
  const index = new Map<PathElement, Json[]>();
  for (const item of list) {
    const element = itemElement(type, item);
    if (typeof element !== "string") continue;
    const items = index.get(element);
    if (items === undefined) index.set(element, [item]);
    else items.push(item);
  }
  return index;
}

function joined(a: Found | undefined, b: Found | undefined): Found | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { changed: joinedNodes(a.changed, b.changed), removed: joinedNodes(a.removed, b.removed) };
}

function joinedNodes(a: FieldSet | undefined, b: FieldSet | undefined): FieldSet | undefined {
  return a === undefined || b === undefined ? (a ?? b) : unionOfNodes(a, b);
}
