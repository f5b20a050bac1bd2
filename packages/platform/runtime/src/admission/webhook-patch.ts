import type { JsonPatchOperation } from "@trivium/kube";
import { deepEqual, isObject, type Json } from "@trivium/std";

/** What turns one value into another, as JSON patch. Lists that differ are replaced whole. */
export function patchBetween(from: Json | undefined, to: Json | undefined, path = ""): JsonPatchOperation[] {
  if (deepEqual(from, to)) return [];
  if (to === undefined) return [{ op: "remove", path }];
  if (from === undefined) return [{ op: "add", path, value: to }];
  if (!isObject(from) || !isObject(to)) return [{ op: "replace", path, value: to }];
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].flatMap((key) => patchBetween(ownOf(from, key), ownOf(to, key), `${path}/${escaped(key)}`));
}

const ownOf = (value: { readonly [key: string]: Json }, key: string): Json | undefined =>
  Object.hasOwn(value, key) ? value[key] : undefined;

const escaped = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
