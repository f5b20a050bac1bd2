import { partsOf } from "./reach.ts";
import type { Schema } from "./schema.ts";

/** Schemas that are shared, found by a hash of what they say. They are let go when nobody uses them any more. */
const shared = new Map<number, WeakRef<Schema>[]>();
const forget = new FinalizationRegistry<number>((hash) => {
  const left = (shared.get(hash) ?? []).filter((ref) => ref.deref() !== undefined);
  if (left.length === 0) shared.delete(hash);
  else shared.set(hash, left);
});

/**
 * The same schema made of shared parts: equal subschemas become one object, also across calls. Kinds repeat themselves a
 * lot (a pod spec in every second one), and compiled checks are kept for each schema object, so this saves both.
 * The result must not be changed. Schemas that contain themselves are given back as they are.
 */
export function shareSubschemas(schema: Schema): Schema {
  return isCyclic(schema) ? schema : share(schema);
}

/** Shared schemas are numbered, so that what a schema says can be written with its parts as numbers. */
const numbers = new WeakMap<Schema, number>();
let next = 0;

/** What was made of a schema before: definitions use the same parts again and again. */
const results = new WeakMap<Schema, Schema>();

function share(schema: Schema): Schema {
  if (numbers.has(schema)) return schema;
  let result = results.get(schema);
  if (result === undefined) {
    result = makeShared(schema);
    results.set(schema, result);
  }
  return result;
}

function makeShared(schema: Schema): Schema {
  const copy: Record<string, unknown> = { ...schema };
  for (const name of ["items", "not", "additionalProperties"] as const) {
    if (typeof schema[name] === "object") copy[name] = share(schema[name] as Schema);
  }
  for (const name of ["allOf", "anyOf", "oneOf"] as const) {
    if (schema[name] !== undefined) copy[name] = schema[name].map(share);
  }
  if (schema.properties !== undefined) {
    copy.properties = Object.fromEntries(Object.entries(schema.properties).map(([key, inner]) => [key, share(inner)]));
  }
  return keep(copy as Schema);
}

function keep(schema: Schema): Schema {
  const text = textOf(schema);
  const hash = hashOf(text);
  const bucket = shared.get(hash) ?? [];
  for (const ref of bucket) {
    const found = ref.deref();
    if (found !== undefined && textOf(found) === text) return found;
  }
  numbers.set(schema, next++);
  bucket.push(new WeakRef(schema));
  shared.set(hash, bucket);
  forget.register(schema, hash);
  return schema;
}

/** What one level of a schema says. The order of properties counts: it is the order in which they are printed. */
function textOf(schema: Schema): string {
  const { items, not, additionalProperties, properties, allOf, anyOf, oneOf, ...own } = schema;
  const others = typeof additionalProperties === "object" ? number(additionalProperties) : additionalProperties;
  const named = Object.entries(properties ?? {}).map(([key, inner]) => [key, number(inner)]);
  const branches = [allOf, anyOf, oneOf].map((list) => list?.map(number));
  const parts = [items && number(items), not && number(not), others, properties && named, ...branches];
  return JSON.stringify([own, parts, Object.keys(schema)]);
}

const number = (schema: Schema) => `#${numbers.get(schema)}`;

/** FNV-1a. Equal hashes are not taken for equal schemas, so it need only be quick. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

function isCyclic(root: Schema): boolean {
  const above = new Set<Schema>();
  const fine = new Set<Schema>();
  const visit = (schema: Schema): boolean => {
    if (fine.has(schema) || numbers.has(schema)) return false;
    if (above.has(schema)) return true;
    above.add(schema);
    if (partsOf(schema).some(visit)) return true;
    above.delete(schema);
    fine.add(schema);
    return false;
  };
  return visit(root);
}
