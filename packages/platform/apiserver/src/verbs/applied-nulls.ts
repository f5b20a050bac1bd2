import type { AnyObject } from "@trivium/kube";
import type { FieldError } from "@trivium/schema";
import { cloneJson, isObject, type Json } from "@trivium/std";
import { invalid } from "../refusals.ts";
import type { Resource } from "../resource.ts";

/**
 * In a body that is created or updated a null where none belongs counts as left out. In what is applied it is a value, and
 * stays one: a custom resource is refused for it, unless a default takes its place.
 */
export function refuseNulls(resource: Resource, merged: AnyObject): void {
  if (resource.origin !== "custom" || !hasNull(merged as unknown as Json)) return;
  const faults = resource.strategy.validate(merged);
  const settled = cloneJson(merged as unknown as Json) as unknown as AnyObject;
  resource.strategy.applyDefaults(settled);
  const isLost = (fault: FieldError): boolean =>
    fault.reason === "FieldValueTypeInvalid" && fault.value === "null" && !isThere(settled as unknown as Json, fault.field);
  const lost = faults.filter(isLost);
  if (lost.length === 0) return;
  const unchecked = faults.filter(({ field }) => field === "<nil>");
  throw invalid(resource, merged.metadata.name ?? "", [...lost, ...unchecked]);
}

function hasNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  return Object.values(value).some((inner) => hasNull(inner as Json));
}

function isThere(object: Json, field: string): boolean {
  let here: Json | undefined = object;
  for (const [, key, index] of field.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (Array.isArray(here)) here = here[Number(index ?? key)];
    else here = isObject(here) ? here[(key ?? index) as string] : undefined;
  }
  return here !== undefined && here !== null;
}
