import type { AnyObject } from "@trivium/kube";
import { getOwn, isObject, type Json } from "@trivium/std";
import type { Resource } from "../resource.ts";

/** What stands in the fields that objects of a resource can be selected by, as text; fields without a value are left out. */
export type SelectableFields = Readonly<Record<string, string>>;

/** Read when an object is written, so that a watch by a field parses no object to learn whether it is meant. */
export function selectableFieldsOf(resource: Resource, object: AnyObject): SelectableFields | undefined {
  if (resource.selectableFields.length === 0) return undefined;
  const fields: Record<string, string> = {};
  for (const field of resource.selectableFields) {
    const value = getOwn(resource.derivedFields, field)?.(object) ?? readField(object, field);
    if (value !== "") fields[field] = value;
  }
  return fields;
}

function readField(object: AnyObject, field: string): string {
  let here: Json | undefined = object as unknown as Json;
  for (const key of field.split(".")) here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  return here === undefined || here === null ? "" : typeof here === "object" ? JSON.stringify(here) : String(here);
}
