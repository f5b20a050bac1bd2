import type { AnyObject } from "@trivium/kube";

/** An object without the fields that are absent, and without the maps that are empty because of it. */
export function writtenObject(object: object): AnyObject {
  const { metadata, ...rest } = prune(object) as AnyObject;
  const { labels = {}, ...named } = metadata;
  const { apiVersion, kind, ...fields } = rest as Omit<AnyObject, "metadata">;
  return {
    apiVersion,
    kind,
    metadata: Object.keys(labels).length === 0 ? named : { ...named, labels },
    ...fields,
  } as AnyObject;
}

function prune(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(prune);
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).flatMap(([key, inner]) => {
    const pruned = prune(inner);
    const isEmptied = isMap(inner) && Object.keys(inner).length > 0 && Object.keys(pruned as object).length === 0;
    return pruned === undefined || isEmptied ? [] : [[key, pruned] as const];
  });
  return Object.fromEntries(fields);
}

const isMap = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
