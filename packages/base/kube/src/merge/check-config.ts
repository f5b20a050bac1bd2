import { isObject, type Json, type JsonObject } from "@trivium/std";
import type { AnyObject } from "../object.ts";
import { formatElement, itemElement, type PathElement } from "./fields/path-element.ts";
import { type ListType, type MapType, type MergeType, type ScalarType, shapeOf } from "./merge-type.ts";
import { goText, goType } from "./patch/go-text.ts";
import { badPatch, brokenPatch } from "./patch/patch-error.ts";

/** Refuses a configuration that cannot be merged: fields that are not declared, items that cannot be told apart. */
export function checkConfig(type: MergeType, applied: AnyObject): void {
  const { managedFields, namespace, name } = applied.metadata;
  if (managedFields !== undefined && managedFields !== null) throw badPatch("metadata.managedFields must be nil");
  const faults = faultsOfMerging(type, applied as unknown as JsonObject);
  if (faults.length === 0) return;
  const list = faults.length === 1 ? faults[0] : ["errors:", ...faults.map((fault) => `  ${fault}`)].join("\n");
  const [version, group = ""] = applied.apiVersion.split("/").reverse();
  const kind = `${group === "" ? "/" : `${group}/`}${version}, Kind=${applied.kind}`;
  throw brokenPatch(`failed to create typed patch object (${namespace ?? ""}/${name ?? ""}; ${kind}): ${list}`);
}

/** Why a value cannot be merged as a type; nothing for one that can. */
export function faultsOfMerging(type: MergeType, value: JsonObject): string[] {
  const faults: string[] = [];
  check(type, value, { faults });
  return faults;
}

/** The path is written where there is a fault only: a list can have thousands of items. */
interface Place {
  readonly above?: Place;
  readonly field?: string;
  /** An item of a list. */
  readonly element?: PathElement;
  readonly faults: string[];
}

function pathOf({ above, field, element }: Place): string {
  if (above === undefined) return "";
  return pathOf(above) + (element === undefined ? `.${field}` : formatElement(element));
}

function tell(place: Place, fault: string): void {
  const path = pathOf(place);
  place.faults.push(path === "" ? fault : `${path}: ${fault}`);
}

function check(type: MergeType, value: Json, place: Place): void {
  if (value === null || value === undefined) return;
  switch (shapeOf(type, value)) {
    case "scalar":
      checkScalar(type.scalar as ScalarType, value, place);
      return;
    case "list":
      if (Array.isArray(value)) checkList(type.list as ListType, value, place);
      else tell(place, `expected list, got ${printed(value)}`);
      return;
    case "map":
      if (isObject(value)) checkMap(type.map as MapType, value, place);
      else tell(place, `expected map, got ${printed(value)}`);
  }
}

function checkScalar(type: ScalarType, value: Json, place: Place): void {
  const found = typeof value;
  if (type === "numeric" && found !== "number") tell(place, `expected numeric (int or float), got ${goType(value)}`);
  if (type === "string" && found !== "string") tell(place, `expected string, got ${printed(value)}`);
  if (type === "boolean" && found !== "boolean") tell(place, `expected boolean, got ${printed(value)}`);
  if (type === "untyped" && found === "object") tell(place, `expected any scalar, got ${printed(value)}`);
}

function checkList(type: ListType, list: readonly Json[], place: Place): void {
  const seen = new Set<string>();
  for (const [index, item] of list.entries()) {
    const element = type.merges === "atomic" ? `i:${index}` : itemElement(type, item);
    if (typeof element !== "string") {
      tell(place, `element ${index}: ${element.fault}`);
      return;
    }
    if (seen.has(element)) tell(place, `duplicate entries for key ${formatElement(element)}`);
    seen.add(element);
    check(type.element, item, { above: place, element, faults: place.faults });
  }
}

function checkMap(type: MapType, map: JsonObject, place: Place): void {
  for (const key of Object.keys(map)) {
    const inner = type.field(key)?.type ?? type.element;
    if (inner === undefined) {
      tell({ above: place, field: key, faults: place.faults }, "field not declared in schema");
      return;
    }
    check(inner, map[key] as Json, { above: place, field: key, faults: place.faults });
  }
}

/** A value as Go prints it inside its wrapper. */
const printed = (value: Json): string => `&{${goText(value)}}`;
