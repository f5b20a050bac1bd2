import { isObject, type Json, type JsonObject } from "@trivium/std";
import { deduced, type ListType, type MapType, type MergeType, shapeOf, typeUnder } from "../merge-type.ts";
import { type FieldSet, isMember, nodeOf } from "./field-set.ts";
import { itemElement } from "./path-element.ts";

/** All fields and items that a value mentions. */
export function fieldSetOf(type: MergeType, value: JsonObject): FieldSet {
  return setInside(type, value) ?? {};
}

/** The node of a value; undefined where it neither is a leaf nor has anything inside. */
function setInside(type: MergeType, value: Json): FieldSet | undefined {
  switch (shapeOf(type, value)) {
    case "scalar":
      return {};
    case "list":
      return setOfList(type.list as ListType, value);
    case "map":
      return setOfMap(type.map as MapType, value);
  }
}

function setOfMap(type: MapType, value: Json): FieldSet | undefined {
  if (type.isAtomic) return {};
  if (!isObject(value)) return undefined;
  const set: FieldSet = {};
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (inner === undefined) continue;
    const field = type.field(key);
    const isNamedHere = field === undefined || inner === null || (isObject(inner) && Object.keys(inner).length === 0);
    put(set, `f:${key}`, withMembership(setInside(field?.type ?? type.element ?? deduced, inner), isNamedHere));
  }
  return nodeOf(set, "passage");
}

function setOfList(type: ListType, value: Json): FieldSet | undefined {
  if (type.merges === "atomic") return {};
  if (!Array.isArray(value)) return undefined;
  const set: FieldSet = {};
  for (const item of value) {
    const element = itemElement(type, item);
    if (typeof element !== "string") continue;
    // Items that are there twice are owned as one.
    if (element in set) set[element] = {};
    else put(set, element, withMembership(setInside(type.element, item), true));
  }
  return nodeOf(set, "passage");
}

function withMembership(node: FieldSet | undefined, isNamedHere: boolean): FieldSet | undefined {
  return isNamedHere ? nodeOf(node ?? {}, "member") : node;
}

function put(set: FieldSet, element: string, node: FieldSet | undefined): void {
  if (node !== undefined) set[element] = node;
}

/** The set with every declared field on the way to a member made a member too. */
export function withNamedFields(type: MergeType, set: FieldSet): FieldSet {
  const named: FieldSet = {};
  for (const key of Object.keys(set)) {
    if (key === ".") continue;
    const node = set[key] as FieldSet;
    const isDeclared = key.startsWith("f:") && type.map?.field(key.slice(2)) !== undefined;
    const inner = withNamedFields(typeBehind(type, key), node);
    named[key] = nodeOf(inner, isDeclared || isMember(node) ? "member" : "passage") as FieldSet;
  }
  return named;
}

/** Whether something is owned inside a list item or under a free key that is not owned itself. */
export function hasLooseEnds(type: MergeType, set: FieldSet): boolean {
  for (const key in set) {
    if (key === ".") continue;
    const node = set[key] as FieldSet;
    const isDeclared = key.startsWith("f:") && type.map?.field(key.slice(2)) !== undefined;
    if (!isDeclared && !isMember(node)) return true;
    if (hasLooseEnds(typeBehind(type, key), node)) return true;
  }
  return false;
}

const nothing: MergeType = {};

function typeBehind(type: MergeType, element: string): MergeType {
  if (element.startsWith("f:")) return type.map === undefined ? nothing : typeUnder(type.map, element.slice(2));
  return element.startsWith("k:") ? (type.list?.element ?? nothing) : nothing;
}

/**
 * The set as it should be by today's schema: what has become atomic since is owned as one.
 * The same set where nothing of the kind happened.
 */
export function reconciled(type: MergeType, set: FieldSet): FieldSet {
  if (type.map?.isUntyped) return set;
  let changed: FieldSet | undefined;
  for (const key of Object.keys(set)) {
    if (key === ".") continue;
    const node = set[key] as FieldSet;
    const inner = knownTypeBehind(type, key);
    const next = inner === undefined ? node : reconciledNode(inner, node);
    if (next === node) continue;
    changed ??= { ...set };
    changed[key] = next;
  }
  return changed ?? set;
}

function reconciledNode(type: MergeType, node: FieldSet): FieldSet {
  let hasInside = false;
  for (const key in node) {
    if (key === ".") continue;
    hasInside = true;
    break;
  }
  if (!hasInside) return node;
  if (type.map !== undefined) return type.map.isAtomic && !type.map.isUntyped ? {} : reconciled(type, node);
  if (type.list !== undefined) return type.list.merges === "atomic" ? {} : reconciled(type, node);
  return node;
}

function knownTypeBehind(type: MergeType, element: string): MergeType | undefined {
  if (type.map !== undefined) {
    if (!element.startsWith("f:")) return type.map.element;
    return type.map.field(element.slice(2))?.type ?? type.map.element;
  }
  return type.list?.element;
}
