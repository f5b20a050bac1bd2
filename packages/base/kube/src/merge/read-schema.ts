import type { Schema } from "@trivium/schema";
import { isObject, type Json } from "@trivium/std";
import { builtInSchema, definitionNameOf } from "../built-in.ts";
import { definitions, type RawSchema } from "../definitions.ts";
import {
  deduced,
  type Field,
  type ListKey,
  type ListType,
  type MapType,
  type MergeType,
  untypedAtomic,
} from "./merge-type.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** Definitions that merge otherwise than their schema says. */
const special: Readonly<Record<string, MergeType>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { scalar: "untyped" },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": untypedAtomic,
};

/** How a schema is read: the maps of built-in kinds are structs, and everything below a preserving schema preserves. */
interface Reading {
  readonly isStruct: boolean;
  readonly preserves: boolean;
}

const readings = new WeakMap<Schema, (MergeType | undefined)[]>();
const roots = new WeakMap<Schema, MergeType>();

/**
 * The merge type of whole objects of a kind. Built-in kinds are read from the API's own definitions, which say more than
 * their resolved schema: which fields a struct always has.
 */
export function mergeTypeOf(schema: Schema, object: { apiVersion: string; kind: string }): MergeType {
  const known = roots.get(schema);
  if (known !== undefined) return known;
  const type = readRoot(schema, object);
  roots.set(schema, type);
  return type;
}

function readRoot(schema: Schema, { apiVersion, kind }: { apiVersion: string; kind: string }): MergeType {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const definition = definitionNameOf(group, version, kind);
  if (definition !== undefined && builtInSchema(group, version, kind) === schema) {
    return read(definitions[definition] as RawSchema, { isStruct: true, preserves: false });
  }
  return read(withHead(schema as RawSchema), { isStruct: false, preserves: false });
}

/** A schema with the standard head of objects, which CRDs leave out and embedded resources imply. */
function withHead(schema: RawSchema): RawSchema {
  const metadata = schema.properties?.metadata?.properties === undefined ? { metadata: { $ref: `/${meta}` } } : {};
  const head: Record<string, RawSchema> = { apiVersion: { type: "string" }, kind: { type: "string" } };
  return { ...schema, properties: { ...head, ...schema.properties, ...metadata } };
}

function read(schema: RawSchema, reading: Reading): MergeType {
  const slot = (reading.isStruct ? 2 : 0) + (reading.preserves ? 1 : 0);
  let slots = readings.get(schema as Schema);
  if (slots === undefined) {
    slots = [];
    readings.set(schema as Schema, slots);
  }
  const known = slots[slot];
  if (known !== undefined) return known;
  const type = readReference(schema, reading) ?? readOwn(schema, reading);
  slots[slot] = type;
  return type;
}

function readReference(schema: RawSchema, reading: Reading): MergeType | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference === undefined) return undefined;
  const name = reference.slice(reference.lastIndexOf("/") + 1);
  const definition = definitions[name];
  if (special[name] !== undefined || definition === undefined) return special[name] ?? deduced;
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return read(definition, reading);
  return read({ ...definition, "x-kubernetes-map-type": mapType }, reading);
}

function readOwn(schema: RawSchema, outer: Reading): MergeType {
  const preserves = outer.preserves || schema["x-kubernetes-preserve-unknown-fields"] === true;
  const reading = preserves === outer.preserves ? outer : { ...outer, preserves };
  switch (schema.type) {
    case "object":
      return { map: new SchemaMap(schema, reading) };
    case "array":
      return { list: readList(schema, reading) };
    case "integer":
    case "number":
      return { scalar: "numeric" };
    case "boolean":
      return { scalar: "boolean" };
    case "string":
      return { scalar: schema.format === undefined || schema.format === "byte" ? "string" : "untyped" };
    default:
      return { scalar: "untyped", list: readList(schema, reading), map: new SchemaMap(schema, reading) };
  }
}

/** Fields are read when they are first met: schemas are large, cyclic, and mostly never asked for. */
class SchemaMap implements MapType {
  readonly isAtomic: boolean;
  readonly isUntyped: boolean;
  readonly element: MergeType | undefined;
  private readonly properties: Readonly<Record<string, RawSchema>>;
  private readonly required: readonly string[];
  private readonly reading: Reading;
  private readonly fields = new Map<string, Field | undefined>();
  private standingFields: readonly Field[] | undefined;

  constructor(schema: RawSchema, reading: Reading) {
    this.isAtomic = schema["x-kubernetes-map-type"] === "atomic";
    const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
    this.properties = (isEmbedded ? withHead(schema) : schema).properties ?? {};
    this.required = schema.required ?? [];
    this.reading = reading;
    this.element = readElement(schema, reading);
    this.isUntyped = this.element === deduced && Object.keys(this.properties).length === 0;
  }

  field(name: string): Field | undefined {
    const known = this.fields.get(name);
    if (known !== undefined || this.fields.has(name)) return known;
    const field = Object.hasOwn(this.properties, name) ? this.readField(name) : undefined;
    // Free keys are not remembered: there is no end to them.
    if (field !== undefined) this.fields.set(name, field);
    return field;
  }

  get standing(): readonly Field[] | undefined {
    if (!this.reading.isStruct) return undefined;
    this.standingFields ??= Object.keys(this.properties)
      .map((name) => this.field(name) as Field)
      .filter((field) => field.zero !== undefined);
    return this.standingFields;
  }

  private readField(name: string): Field {
    const schema = this.properties[name] as RawSchema;
    const type = read(schema, this.reading);
    const zero = this.reading.isStruct ? zeroOf(schema, this.required.includes(name)) : undefined;
    const omitsEmpty = this.reading.isStruct && zero === undefined && canBeOmittedEmpty(schema);
    const keepsNull = this.reading.isStruct && isTime(schema);
    const blank = keepsNull ? null : this.reading.isStruct ? zeroScalarOf(schema) : undefined;
    return { name, type, zero, omitsEmpty, keepsNull, blank };
  }
}

/** A struct inside has an empty default; what is required is never left out, whether it was given or not. */
function zeroOf(schema: RawSchema, isRequired: boolean): Json | undefined {
  const value = schema.default;
  if (isObject(value) && Object.keys(value).length === 0) return value;
  return isRequired ? (zeroScalarOf(schema) ?? null) : undefined;
}

function zeroScalarOf({ default: value }: RawSchema): Json | undefined {
  return value === "" || value === 0 || value === false ? value : undefined;
}

const canBeOmittedEmpty = (schema: RawSchema) => schema.type === "array" || schema.additionalProperties !== undefined;

const isTime = (schema: RawSchema) => /\.(Micro)?Time$/.test(schema.allOf?.[0]?.$ref ?? "");

function readElement(schema: RawSchema, reading: Reading): MergeType | undefined {
  const additional = schema.additionalProperties as RawSchema | boolean | undefined;
  if (isObject(additional)) return read(additional as RawSchema, reading);
  if (additional === true) return deduced;
  if (additional === false) return undefined;
  return reading.preserves || Object.keys(schema.properties ?? {}).length === 0 ? deduced : undefined;
}

function readList(schema: RawSchema, reading: Reading): ListType {
  const { merges, keys } = relationOf(schema);
  // Read when first met, as fields are.
  let element: MergeType | undefined;
  let listKeys: readonly ListKey[] | undefined;
  const list: ListType = {
    merges,
    get element() {
      element ??= schema.items === undefined ? untypedAtomic : read(schema.items, reading);
      return element;
    },
    get keys() {
      listKeys ??= keys.toSorted().map((name) => ({ name, default: defaultOf(schema.items, name) }));
      return listKeys;
    },
  };
  return list;
}

function relationOf(schema: RawSchema): { merges: ListType["merges"]; keys: readonly string[] } {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return { merges: "map", keys: schema["x-kubernetes-list-map-keys"] ?? [] };
    case "set":
      return { merges: "set", keys: [] };
    case "atomic":
      return { merges: "atomic", keys: [] };
  }
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== "merge" && strategy !== "merge,retainKeys") return { merges: "atomic", keys: [] };
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? { merges: "set", keys: [] } : { merges: "map", keys: [key] };
}

function defaultOf(items: RawSchema | undefined, key: string): Json | undefined {
  if (items === undefined) return undefined;
  const reference = items.$ref ?? items.allOf?.[0]?.$ref;
  const schema = reference === undefined ? items : definitions[reference.slice(reference.lastIndexOf("/") + 1)];
  return schema?.properties?.[key]?.default;
}
