import { getOwn, isObject, type Json, type JsonObject } from "@trivium/std";
import { FieldPath } from "./field-path.ts";
import type { Schema } from "./schema.ts";

const head: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

export interface PruneOptions {
  /** The value is a whole object of the API: its apiVersion, kind and metadata stay whatever the schema says. */
  readonly isResourceRoot?: boolean;
}

/** Drops, in place, what the schema does not know. Returns the paths dropped, sorted, as `fieldValidation=Strict` names them. */
export function prune(schema: Schema, value: Json, options: PruneOptions = {}): string[] {
  const walk: Walk = { path: new FieldPath(), dropped: [] };
  const isRoot = options.isResourceRoot === true && schema["x-kubernetes-embedded-resource"] !== true;
  pruneValue(isRoot ? { ...schema, "x-kubernetes-embedded-resource": true } : schema, value, walk);
  return walk.dropped.sort();
}

interface Walk {
  readonly path: FieldPath;
  readonly dropped: string[];
}

/** Where no schema is known, no property stays. */
function pruneValue(schema: Schema | undefined, value: Json, walk: Walk): void {
  if (typeof value !== "object" || value === null) return;
  if (schema?.["x-kubernetes-preserve-unknown-fields"] === true) pruneKnown(schema, value, walk);
  else if (isObject(value)) pruneObject(schema, value, walk);
  else within(value, walk, (item) => pruneValue(schema?.items, item, walk));
}

function pruneObject(schema: Schema | undefined, value: JsonObject, walk: Walk): void {
  const isEmbedded = schema?.["x-kubernetes-embedded-resource"] === true;
  for (const key of Object.keys(value)) {
    if (isEmbedded && head.has(key)) continue;
    const inner = getOwn(schema?.properties, key);
    if (inner === undefined && schema?.additionalProperties === undefined) {
      if (!head.has(key) || !walk.path.isRoot) walk.dropped.push(walk.path.child(key));
      delete value[key];
      continue;
    }
    walk.path.push(key);
    pruneValue(inner ?? schemaOfOthers(schema), value[key] as Json, walk);
    walk.path.pop();
  }
}

const schemaOfOthers = (schema: Schema | undefined) =>
  typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;

/** Under preserve-unknown-fields everything stays, but what is described further down is pruned again. */
function pruneKnown(schema: Schema, value: Json, walk: Walk): void {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) within(value, walk, (item) => pruneKnown(items, item, walk));
    return;
  }
  if (!isObject(value)) return;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  for (const key of Object.keys(value)) {
    if (isEmbedded && head.has(key)) continue;
    const inner = getOwn(schema.properties, key) ?? schemaOfOthers(schema);
    if (inner === undefined) continue;
    walk.path.push(key);
    pruneValue(inner, value[key] as Json, walk);
    walk.path.pop();
  }
}

function within(list: readonly Json[], walk: Walk, visit: (item: Json) => void): void {
  for (const [index, item] of list.entries()) {
    walk.path.push(index);
    visit(item);
    walk.path.pop();
  }
}
