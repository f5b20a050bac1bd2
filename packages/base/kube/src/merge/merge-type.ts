import type { Json } from "@trivium/std";

/**
 * How a value merges: as a scalar, a list, a map, or any of them where the schema leaves that open.
 * This is all that server-side apply needs of a schema.
 */
export interface MergeType {
  readonly scalar?: ScalarType;
  readonly list?: ListType;
  readonly map?: MapType;
}

export type ScalarType = "numeric" | "string" | "boolean" | "untyped";

export interface ListType {
  /** An atomic list changes hands as one; items of a set are named by their value, items of a map by their keys. */
  readonly merges: "atomic" | "set" | "map";
  readonly keys: readonly ListKey[];
  readonly element: MergeType;
}

/** A key that an item leaves out counts as its default. Keys are in order of their names. */
export interface ListKey {
  readonly name: string;
  readonly default: Json | undefined;
}

export interface MapType {
  readonly isAtomic: boolean;
  /** The declared field of that name. */
  field(name: string): Field | undefined;
  /** What fields that are not declared merge as; undefined where there may be none. */
  readonly element: MergeType | undefined;
  /** Nothing is declared and anything goes. */
  readonly isUntyped: boolean;
  /**
   * A real server keeps built-in objects as structs: some of their fields are there even where they were left out.
   * Those fields; undefined for the maps of custom resources and for maps with free keys.
   */
  readonly standing: readonly Field[] | undefined;
}

export interface Field {
  readonly name: string;
  readonly type: MergeType;
  /** In a struct: what the field is when it is left out or null. */
  readonly zero: Json | undefined;
  /** In a struct: an empty list or map counts as left out. */
  readonly omitsEmpty: boolean;
  /** In a struct: null is a value. So are times that are not set; elsewhere null counts as left out. */
  readonly keepsNull: boolean;
  /** In a struct: a value that says no more than leaving the field out. */
  readonly blank: Json | undefined;
}

/** The kinds of value a type can be read as. */
export type Shape = "scalar" | "list" | "map";

/** How a type reads a value. A value of no fitting kind, and none at all, is read as the first kind that the type has. */
export function shapeOf(type: MergeType, value: Json | undefined): Shape {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) {
      if (type.list !== undefined) return "list";
    } else if (type.map !== undefined) return "map";
  } else if (value !== null && value !== undefined && type.scalar !== undefined) return "scalar";
  if (type.map !== undefined) return "map";
  return type.scalar !== undefined ? "scalar" : "list";
}

/** Anything, as one: what a schema says nothing about inside lists, and raw extensions. */
export const untypedAtomic: MergeType = untyped({ isAtomic: true });
/** Anything, by its shape: maps field by field, lists as one. What a schema preserves without declaring it. */
export const deduced: MergeType = untyped({ isAtomic: false });

function untyped({ isAtomic }: { isAtomic: boolean }): MergeType {
  const type: MergeType = {
    scalar: "untyped",
    list: {
      merges: "atomic",
      keys: [],
      get element() {
        return untypedAtomic;
      },
    },
    map: {
      isAtomic,
      field: () => undefined,
      get element() {
        return type;
      },
      isUntyped: !isAtomic,
      standing: undefined,
    },
  };
  return type;
}

/** The type of the value under a key of a map; what is not declared is read by its shape. */
export function typeUnder(map: MapType, key: string): MergeType {
  return map.field(key)?.type ?? map.element ?? deduced;
}

/** The value of a field as a server that keeps structs sees it. */
export function standingValue(field: Field, value: Json | undefined): Json | undefined {
  if (value === undefined || (value === null && !field.keepsNull)) return field.zero;
  return field.omitsEmpty && isEmpty(value) ? field.zero : value;
}

/** An empty list or map. */
export function isEmpty(value: Json): boolean {
  if (typeof value !== "object" || value === null) return false;
  for (const _ in value) return false;
  return true;
}
