import type { AnyObject } from "@trivium/kube";
import { cloneJson, isObject, type Json } from "@trivium/std";
import { invalid } from "../refusals.ts";
import type { Resource } from "../resource.ts";

/**
 * In a body that is created or updated a null where none belongs counts as left out. In what is applied it is a value, and
 * stays one: a custom resource is refused for it, unless a default takes its place.
 */
export function refuseNulls(resource: Resource, merged: AnyObject): void {
  if (resource.origin !== "custom" || !hasNull(merged as unknown as Json)) return;
  const settled = cloneJson(merged as unknown as Json) as unknown as AnyObject;
  resource.strategy.applyDefaults(settled);
  putBack(settled as unknown as Json, merged as unknown as Json);
  const faults = resource.strategy.validate(settled);
  if (faults.some(({ reason, value }) => reason === "FieldValueTypeInvalid" && value === "null"))
    throw invalid(resource, merged.metadata.name ?? "", faults);
}

/** Puts each null that was taken for left out back in its place. */
function putBack(settled: Json, merged: Json): void {
  if (Array.isArray(settled) && Array.isArray(merged)) {
    for (const [index, item] of merged.entries()) putBack(settled[index] as Json, item);
  } else if (isObject(settled) && isObject(merged)) {
    for (const [key, inner] of Object.entries(merged)) {
      if (inner === null && settled[key] === undefined) settled[key] = null;
      else if (settled[key] !== undefined) putBack(settled[key], inner);
    }
  }
}

function hasNull(value: Json): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  return Object.values(value).some((inner) => hasNull(inner as Json));
}
