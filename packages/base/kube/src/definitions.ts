import type { Schema } from "@trivium/schema";
import type { Json } from "@trivium/std";
import raw from "./generated/definitions.json" with { type: "json" };
import wire from "./generated/wire.json" with { type: "json" };

/**
 * The OpenAPI definitions of the built-in API and how their `$ref`s are followed. Two readings exist: the server's own
 * (patch strategies kept, objects may be cyclic) and the one that may stand inside a CRD (structural, no noise).
 */
export interface RawSchema extends Omit<Schema, "properties" | "items" | "additionalProperties" | "allOf"> {
  $ref?: string;
  allOf?: RawSchema[];
  properties?: Record<string, RawSchema>;
  items?: RawSchema;
  additionalProperties?: RawSchema;
  "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string }[];
}

/** Raw definitions by their full name (`io.k8s.api.core.v1.PodSpec`), as `/openapi/v3` publishes them. */
export const definitions = raw as unknown as Readonly<Record<string, RawSchema>>;

/** What the schemas do not say of the form on the wire, by definition; `scripts/generate-kube/facts.ts` explains each table. */
export const wireFacts = wire as unknown as {
  readonly pointers: Readonly<Record<string, readonly string[]>>;
  readonly inlined: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly always: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly named: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

/** How one reading of the definitions differs from another. */
export interface Reading {
  /** Definitions that stand for something other than what they say. */
  readonly replaced: Readonly<Record<string, (resolve: Resolve) => Schema>>;
  /** Keywords taken over from the raw schema; structure (properties, items …) always is. */
  readonly keywords: readonly (keyof RawSchema)[];
  /** Whether an optional choice may be the empty string, as Kubernetes takes it in its own objects. */
  readonly emptyIsUnset?: true;
}
export type Resolve = (definition: string) => Schema;

/** A function from definition to schema, with every `$ref` replaced by the object it means. Equal names give the same object. */
export function readDefinitions(reading: Reading): Resolve {
  const known = new Map<string, Schema>();

  function resolve(definition: string): Schema {
    const found = known.get(definition);
    if (found !== undefined) return found;
    const source = definitions[definition];
    if (source === undefined) throw new Error(`definition ${definition} not found`);
    const schema: Schema = {};
    known.set(definition, schema);
    const made = reading.replaced[definition]?.(resolve) ?? expand(source);
    // Getters stay getters: a replacement may look at a definition that is still being made.
    return Object.defineProperties(schema, Object.getOwnPropertyDescriptors(made));
  }

  function expand(source: RawSchema): Schema {
    const reference = source.$ref ?? source.allOf?.[0]?.$ref;
    const own = ownKeywords(source);
    if (reference !== undefined) {
      const meant = resolve(reference.slice(reference.lastIndexOf("/") + 1));
      return Object.keys(own).length === 0 ? meant : { ...meant, ...own };
    }
    const schema: Schema = own;
    if (source.properties) schema.properties = expandProperties(source);
    if (source.additionalProperties) schema.additionalProperties = expand(source.additionalProperties);
    if (source.items) schema.items = withKeyDefaults(expand(source.items), source);
    return schema;
  }

  function expandProperties({ properties = {}, required = [] }: RawSchema): Record<string, Schema> {
    const made = mapValues(properties, expand);
    if (reading.emptyIsUnset !== true) return made;
    for (const [name, schema] of Object.entries(made))
      if (schema.enum !== undefined && !required.includes(name)) made[name] = withEmpty(schema);
    return made;
  }

  function ownKeywords(source: RawSchema): Schema {
    const own: Record<string, unknown> = {};
    for (const keyword of reading.keywords) if (source[keyword] !== undefined) own[keyword] = source[keyword];
    return own as Schema;
  }

  return resolve;
}

const withEmpty = (schema: Schema): Schema =>
  schema.enum?.includes("") === false ? { ...schema, enum: ["", ...schema.enum] } : schema;

const withDefaults = new WeakMap<Schema, Map<string, Schema>>();

/** A key of a list map must be required or have a default; the raw schema says which default of an item that is. */
function withKeyDefaults(items: Schema, list: RawSchema): Schema {
  const keys = list["x-kubernetes-list-map-keys"]?.join();
  if (keys === undefined) return items;
  const known = withDefaults.get(items) ?? new Map<string, Schema>();
  withDefaults.set(items, known);
  const made = known.get(keys) ?? addKeyDefaults(items, list);
  known.set(keys, made);
  return made;
}

function addKeyDefaults(items: Schema, list: RawSchema): Schema {
  const defaults: Record<string, Schema> = {};
  for (const key of list["x-kubernetes-list-map-keys"] ?? []) {
    const property = items.properties?.[key];
    if (property === undefined || items.required?.includes(key)) continue;
    defaults[key] = { ...property, default: rawDefaultOf(list, key) };
  }
  return Object.keys(defaults).length === 0 ? items : { ...items, properties: { ...items.properties, ...defaults } };
}

function rawDefaultOf(list: RawSchema, key: string): Json {
  const reference = list.items?.allOf?.[0]?.$ref ?? "";
  return definitions[reference.slice(reference.lastIndexOf("/") + 1)]?.properties?.[key]?.default ?? "";
}

function mapValues<A, B>(object: Record<string, A>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}
