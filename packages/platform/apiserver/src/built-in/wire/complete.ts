import { isObject, type Json, type JsonObject } from "@trivium/std";
import { type Field, type Shape, type StructShape, structOf } from "./shape.ts";

/**
 * Gives an object the form in which the real server writes it: what says nothing (an empty list, a false that is no
 * choice) goes, what is always written comes.
 */
export function completeObject(definition: string, object: JsonObject): void {
  completeStruct(structOf(definition), object);
}

function completeStruct(shape: StructShape, value: JsonObject): void {
  for (const [key, fill] of shape.filled) {
    if (value[key] === undefined) value[key] = typeof fill === "object" ? {} : fill;
  }
  for (const key of Object.keys(value)) {
    const field = shape.fields.get(key);
    if (field === undefined) continue;
    const inner = value[key] as Json;
    if (isSilent(field, inner)) delete value[key];
    else completeValue(field.shape, inner);
  }
}

function completeValue(shape: Shape, value: Json): void {
  if (shape.is === "struct" && isObject(value)) completeStruct(shape, value);
  if ((shape.is !== "list" && shape.is !== "map") || !hasInside(shape.inner)) return;
  if (shape.is === "list" && Array.isArray(value)) for (const item of value) completeValue(shape.inner, item);
  if (shape.is === "map" && isObject(value)) for (const item of Object.values(value)) completeValue(shape.inner, item);
}

/** Scalars are complete: a map of a hundred thousand texts is not walked. */
const hasInside = ({ is }: Shape): boolean => is === "struct" || is === "list" || is === "map";

function isSilent(field: Field, value: Json): boolean {
  if (field.keepsZero) return false;
  switch (field.shape.is) {
    case "list":
      return Array.isArray(value) && value.length === 0;
    case "map":
      return isObject(value) && Object.keys(value).length === 0;
    case "string":
    case "bytes":
    case "bool":
    case "int32":
    case "int64":
    case "float64":
      return value === "" || value === 0 || value === false;
    default:
      return false;
  }
}
