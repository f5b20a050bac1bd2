import { isObject, type Json, type JsonObject, setOwn } from "@trivium/std";
import { badPatch } from "./patch-error.ts";

/** RFC 7386. What the patch does not touch is shared with the target, not copied. */
export function applyMergePatch(target: Json, patch: Json): Json {
  if (!isObject(patch)) throw badPatch(notAnObject(patch));
  return mergeObject(target, patch);
}

function mergeObject(target: Json, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  if (isObject(target)) {
    for (const key of Object.keys(target)) if (patch[key] !== null) setOwn(merged, key, target[key]);
  }
  for (const key of Object.keys(patch)) {
    const value = patch[key] as Json;
    if (value === null) continue;
    setOwn(
      merged,
      key,
      isObject(value) ? mergeObject(Object.hasOwn(merged, key) ? (merged[key] as Json) : null, value) : value,
    );
  }
  return merged;
}

/** A real server names its own types here, and clients see them. */
function notAnObject(patch: Json): string {
  if (patch === null) return "Invalid JSON Patch";
  const found = Array.isArray(patch) ? "array" : typeof patch === "boolean" ? "bool" : typeof patch;
  return `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`;
}
