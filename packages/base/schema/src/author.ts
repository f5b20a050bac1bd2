import type { Json, JsonObject } from "@trivium/std";
import type { Rule, Schema } from "./schema.ts";

/**
 * How a kind is written down: each function returns plain structural JSON that carries, for the compiler only,
 * the TypeScript type of the values it describes. One definition gives type, defaults, pruning, validation, CRD and docs.
 */
declare const typed: unique symbol;
declare const optional: unique symbol;
export type SchemaOf<T> = Schema & { readonly [typed]?: T };
export type Optional<T> = SchemaOf<T> & { readonly [optional]?: true };
/** The TypeScript type a schema describes. */
export type Static<S> = S extends { readonly [typed]?: infer T } ? Exclude<T, undefined> : never;

// biome-ignore lint/suspicious/noExplicitAny: the bound of a generic over all schemas
type AnySchema = SchemaOf<any>;
type Properties = Record<string, AnySchema>;
type OptionalKeys<P> = { [K in keyof P]: typeof optional extends keyof P[K] ? K : never }[keyof P];
type Flat<T> = { [K in keyof T]: T[K] } & {};
export type ObjectOf<P extends Properties> = Flat<
  { [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & { [K in OptionalKeys<P>]?: Static<P[K]> | undefined }
>;

/** Keywords beside the type: default, pattern, bounds, list-map keys, rules. */
export type Keywords = Omit<
  Schema,
  "type" | "description" | "properties" | "items" | "required" | "x-kubernetes-validations"
> & {
  rules?: Rule[];
};

const optionalSchemas = new WeakSet<Schema>();

function make<T>(head: Schema, description: string, keywords: Keywords = {}): SchemaOf<T> {
  const { rules, ...rest } = keywords;
  return {
    ...(description === "" ? {} : { description }),
    ...head,
    ...rest,
    ...(rules === undefined ? {} : { "x-kubernetes-validations": rules }),
  };
}

/** Marks a property that may be absent. A property with a default is optional for the writer, so it is marked too. */
export function opt<T>(schema: SchemaOf<T>): Optional<T> {
  const copy = { ...schema } as Optional<T>;
  optionalSchemas.add(copy);
  return copy;
}

/** The same schema with another description or more keywords: for a shared type that means something special here. */
export function as<T>(schema: SchemaOf<T>, description: string, keywords: Keywords = {}): SchemaOf<T> {
  return make<T>({ ...schema }, "", { ...keywords, ...(description === "" ? {} : ({ description } as Keywords)) });
}

export function obj<P extends Properties>(
  description: string,
  properties: P,
  keywords?: Keywords,
): SchemaOf<ObjectOf<P>> {
  const required = Object.keys(properties).filter((key) => !optionalSchemas.has(properties[key] as Schema));
  const head: Schema = { type: "object", ...(required.length > 0 ? { required } : {}), properties };
  return make(head, description, keywords);
}

export const str = (description: string, keywords?: Keywords): SchemaOf<string> =>
  make({ type: "string" }, description, keywords);
export const bool = (description: string, keywords?: Keywords): SchemaOf<boolean> =>
  make({ type: "boolean" }, description, keywords);
export const int32 = (description: string, keywords?: Keywords): SchemaOf<number> =>
  make({ type: "integer", format: "int32" }, description, keywords);
export const int64 = (description: string, keywords?: Keywords): SchemaOf<number> =>
  make({ type: "integer", format: "int64" }, description, keywords);
export const num = (description: string, keywords?: Keywords): SchemaOf<number> =>
  make({ type: "number" }, description, keywords);
export const time = (description: string, keywords?: Keywords): SchemaOf<string> =>
  make({ type: "string", format: "date-time" }, description, keywords);
export const oneOf = <const V extends readonly string[]>(
  description: string,
  values: V,
  keywords?: Keywords,
): SchemaOf<V[number]> => make({ type: "string", enum: [...values] }, description, keywords);
export const list = <T>(description: string, items: SchemaOf<T>, keywords?: Keywords): SchemaOf<T[]> =>
  make({ type: "array", items }, description, keywords);
/** A list whose elements are told apart by keys, so that two managers can own different elements. */
export const listMap = <T>(
  description: string,
  keys: string[],
  items: SchemaOf<T>,
  keywords?: Keywords,
): SchemaOf<T[]> =>
  make(
    { type: "array", items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys },
    description,
    keywords,
  );
export const map = <T>(description: string, values: SchemaOf<T>, keywords?: Keywords): SchemaOf<Record<string, T>> =>
  make({ type: "object", additionalProperties: values }, description, keywords);
export const intOrString = (description: string, keywords?: Keywords): SchemaOf<number | string> =>
  make({ "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }, description, keywords);
/** A Kubernetes quantity: `16Gi`, `500m`, `1e9`, or a plain number. */
export const quantity = (description: string, keywords?: Keywords): SchemaOf<number | string> =>
  intOrString(description, {
    pattern:
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
    ...keywords,
  });
/** Free JSON object: kept as it is written. */
export const free = (description: string, keywords?: Keywords): SchemaOf<JsonObject> =>
  make({ type: "object", "x-kubernetes-preserve-unknown-fields": true }, description, keywords);
/** Any JSON value at all. */
export const anyJson = (description: string, keywords?: Keywords): SchemaOf<Json> =>
  make({ "x-kubernetes-preserve-unknown-fields": true }, description, keywords);

/**
 * The fields of one schema beside further ones, in one object: how Go's inlined structs look in a CRD.
 * What `base` requires stays required, except for the fields named in `optional`.
 */
export function inline<T, P extends Properties, const O extends readonly (keyof T & string)[] = []>(
  description: string,
  base: SchemaOf<T>,
  properties: P,
  options: { optional?: O; keywords?: Keywords } = {},
): SchemaOf<Flat<Omit<T, O[number]> & Partial<Pick<T, O[number]>> & ObjectOf<P>>> {
  const own = obj(description, properties, options.keywords);
  const released: readonly string[] = options.optional ?? [];
  const required = [...(base.required ?? []).filter((key) => !released.includes(key)), ...(own.required ?? [])];
  const { required: _, ...rest } = own;
  const merged: Schema = { ...rest, properties: { ...base.properties, ...own.properties } };
  return required.length > 0 ? { ...merged, required } : merged;
}
