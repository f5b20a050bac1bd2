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
  const sharing: Sharing = { above: new Set(), isCyclic: false };
  const result = share(schema, sharing);
  return sharing.isCyclic ? schema : result;
}

/** One call. A server shares tens of thousands of subschemas while it starts, so nothing is written as text to be compared. */
interface Sharing {
  /** The schemas that the present one is inside of. */
  readonly above: Set<Schema>;
  isCyclic: boolean;
}

/** Of shared schemas only. */
const hashes = new WeakMap<Schema, number>();

/** What was made of a schema before: definitions use the same parts again and again. */
const results = new WeakMap<Schema, Schema>();

function share(schema: Schema, sharing: Sharing): Schema {
  if (hashes.has(schema)) return schema;
  const known = results.get(schema);
  if (known !== undefined) return known;
  if (!Object.keys(schema).some(isNesting)) return keep(schema, copyOf);
  if (sharing.above.has(schema)) sharing.isCyclic = true;
  if (sharing.isCyclic) return schema;
  sharing.above.add(schema);
  const copy = withSharedParts(schema, sharing);
  sharing.above.delete(schema);
  if (sharing.isCyclic) return schema;
  const result = keep(copy, itself);
  results.set(schema, result);
  return result;
}

const copyOf = (schema: Schema): Schema => ({ ...schema });
const itself = (schema: Schema): Schema => schema;

const single = ["items", "not", "additionalProperties"] as const;
const lists = ["allOf", "anyOf", "oneOf"] as const;
const nesting: ReadonlySet<string> = new Set([...single, ...lists, "properties"]);
const isNesting = (name: string): boolean => nesting.has(name);

function withSharedParts(schema: Schema, sharing: Sharing): Schema {
  const copy: Record<string, unknown> = { ...schema };
  for (const name of single) {
    if (typeof schema[name] === "object") copy[name] = share(schema[name] as Schema, sharing);
  }
  for (const name of lists) {
    if (schema[name] !== undefined) copy[name] = schema[name].map((inner) => share(inner, sharing));
  }
  if (schema.properties !== undefined) {
    const properties = Object.entries(schema.properties);
    for (const property of properties) property[1] = share(property[1], sharing);
    copy.properties = Object.fromEntries(properties);
  }
  return copy as Schema;
}

/** The shared schema that says the same, or from now on this one, as `own` gives it. The parts are shared already. */
function keep(schema: Schema, own: (schema: Schema) => Schema): Schema {
  const hash = hashOf(schema);
  const bucket = shared.get(hash) ?? [];
  for (const ref of bucket) {
    const found = ref.deref();
    if (found !== undefined && isSame(found, schema)) return found;
  }
  const kept = own(schema);
  hashes.set(kept, hash);
  bucket.push(new WeakRef(kept));
  shared.set(hash, bucket);
  forget.register(kept, hash);
  return kept;
}

/** Parts are the same when they are one object. The order of properties counts: it is the order in which they are printed. */
function isSame(a: object, b: object): boolean {
  const [names, others] = [Object.keys(a), Object.keys(b)];
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && isSameValue(name, memberOf(a, name), memberOf(b, name)))
  );
}

function isSameValue(name: string, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (!nesting.has(name)) return JSON.stringify(a) === JSON.stringify(b);
  if (name !== "properties" && !Array.isArray(a)) return false;
  return isSameList(Object.keys(a), Object.keys(b)) && isSameList(Object.values(a), Object.values(b));
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

const memberOf = (value: object, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name];

/** Equal hashes are not taken for equal schemas, so it need only be quick. */
function hashOf(schema: Schema): number {
  let hash = 0x811c9dc5;
  for (const [name, value] of Object.entries(schema)) {
    hash = mixText(hash, name);
    hash = nesting.has(name) && typeof value === "object" ? mixParts(hash, name, value) : mixText(hash, textOf(value));
  }
  return hash;
}

function mixParts(hash: number, name: string, value: object): number {
  if (name !== "properties" && !Array.isArray(value)) return mix(hash, hashes.get(value as Schema) ?? 0);
  let mixed = hash;
  for (const [key, inner] of Object.entries(value)) mixed = mix(mixText(mixed, key), hashes.get(inner as Schema) ?? 0);
  return mixed;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** FNV-1a, of both ends of a long text. */
function mixText(start: number, text: string): number {
  let hash = mix(start, text.length);
  const skipped = text.length > 2 * end ? text.length - 2 * end : 0;
  for (let index = 0; index < text.length - skipped; index++)
    hash = mix(hash, text.charCodeAt(index < end ? index : index + skipped));
  return hash;
}

const end = 24;
const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193);
