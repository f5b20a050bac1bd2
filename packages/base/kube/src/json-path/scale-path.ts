import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import type { AnyObject } from "../object.ts";

/** The value at a scale path (`.spec.replicas`): field names and dots, as CRDs allow there. */
export function readScalePath(object: AnyObject, path: string): Json | undefined {
  let here: Json | undefined = object as JsonObject;
  for (const key of keysOf(path)) here = isObject(here) && Object.hasOwn(here, key) ? here[key] : undefined;
  return here;
}

/** The object with another value at a scale path; objects on the way are made where they are missing. */
export function writeScalePath(object: AnyObject, path: string, value: Json): AnyObject {
  return write(object as JsonObject, keysOf(path), value) as AnyObject;
}

function write(here: Json | undefined, keys: readonly string[], value: Json): Json {
  const [key, ...rest] = keys;
  if (key === undefined) return value;
  const copy: JsonObject = isObject(here) ? { ...here } : {};
  setOwn(copy, key, write(Object.hasOwn(copy, key) ? copy[key] : undefined, rest, value));
  return copy;
}

/** `.spec.replicas` as the keys `spec`, `replicas`. */
export function keysOf(path: string): readonly string[] {
  const keys = path.replace(/^\$?\./, "").split(".");
  if (keys.some((key) => key === ""))
    throw new Error(`scale path ${path} must be field names joined by dots, such as .spec.replicas`);
  return keys;
}
