import { getOwn, type Json, type JsonObject, parseDurationNanos, type Quantity } from "@trivium/std";
import type { Cidr, Ip } from "../net/ip.ts";
import type { GoUrl } from "../net/url.ts";
import type { Schema } from "../schema.ts";
import { escapeName } from "./escape.ts";
import { propertiesOf, type SimpleType } from "./types.ts";

/** A value while a rule runs. Integers are bigints, doubles are numbers. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | Duration
  | Timestamp
  | List
  | Mapping
  | Optional
  | TypeValue
  | Opaque;

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class TypeValue {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Values of the Kubernetes library. */
export class Opaque {
  readonly type: SimpleType;
  readonly content: Quantity | GoUrl | Ip | Cidr | string | readonly number[];
  constructor(type: SimpleType, content: Opaque["content"]) {
    this.type = type;
    this.content = content;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;
  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A list; elements of data are turned into values only when they are read. */
export class List {
  readonly size: number;
  readonly at: (index: number) => Value;
  /** In data: whether elements have identities, which changes what equality and `+` mean. */
  readonly schema: Schema | undefined;

  constructor(size: number, at: (index: number) => Value, schema?: Schema) {
    this.size = size;
    this.at = at;
    this.schema = schema;
  }

  static of(items: readonly Value[]): List {
    return new List(items.length, (index) => items[index] as Value);
  }

  toArray(): Value[] {
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A map, or an object with fields. */
export class Mapping {
  readonly keys: readonly Value[];
  readonly get: (key: Value) => Value | undefined;
  readonly isObject: boolean;

  constructor(keys: readonly Value[], get: (key: Value) => Value | undefined, isObject = false) {
    this.keys = keys;
    this.get = get;
    this.isObject = isObject;
  }

  static of(entries: readonly (readonly [Value, Value])[]): Mapping {
    const byKey = new Map(entries.map(([key, value]) => [hashKey(key), value]));
    return new Mapping(
      entries.map(([key]) => key),
      (key) => byKey.get(hashKey(key)),
    );
  }
}

/** Keys of maps are equal across the kinds of numbers. */
export function hashKey(key: Value): string | bigint | boolean {
  if (typeof key === "bigint" || typeof key === "boolean") return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === "number" && Number.isInteger(key)) return BigInt(key);
  return typeof key === "string" ? `s${key}` : `o${String(key)}`;
}

/** A value that a rule cannot make sense of, or an operation it cannot do; `&&`, `||` and quantifiers may forgive it. */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CelError";
  }
}

/** An operator, function or macro has no form for these arguments. */
export class NoOverload extends CelError {
  constructor() {
    super("no such overload");
  }
}

/** The value that rules see for a piece of data. */
export function celValueOf(json: Json, schema: Schema | undefined, isResource = isEmbedded(schema)): Value {
  if (json === null || typeof json === "boolean") return json;
  if (typeof json === "number") return numberValue(json, schema);
  if (typeof json === "string") return textValue(json, schema);
  if (Array.isArray(json))
    return new List(json.length, (index) => celValueOf(json[index] as Json, schema?.items), schema);
  return mappingOf(json, schema, isResource);
}

const isEmbedded = (schema: Schema | undefined) => schema?.["x-kubernetes-embedded-resource"] === true;

function numberValue(json: number, schema: Schema | undefined): Value {
  return schema?.type !== "number" && Number.isInteger(json) ? BigInt(json) : json;
}

function textValue(json: string, schema: Schema | undefined): Value {
  if (schema?.type !== "string") return json;
  switch (schema.format) {
    case "byte":
      return bytesOf(json);
    case "duration": {
      const nanos = parseDurationNanos(json);
      if (nanos === undefined) throw new CelError(`Invalid duration ${json}`);
      return new Duration(nanos);
    }
    case "date":
    case "date-time":
      return parseTimestamp(json);
    default:
      return json;
  }
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new CelError("illegal base64 data");
  }
}

export function parseTimestamp(text: string): Timestamp {
  const match = /^(\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?([Zz]|[+-]\d\d:\d\d))?$/.exec(text);
  const millis = match
    ? Date.parse(`${match[1]}T${match[2] ?? "00:00:00"}${(match[4] ?? "Z").toUpperCase()}`)
    : Number.NaN;
  if (Number.isNaN(millis)) throw new CelError(`cannot parse "${text}" as a timestamp`);
  return new Timestamp(BigInt(millis) * 1_000_000n + BigInt((match?.[3] ?? "").padEnd(9, "0")));
}

function mappingOf(json: JsonObject, schema: Schema | undefined, isResource: boolean): Mapping {
  const others = typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
  if (schema === undefined || (others !== undefined && !isResource)) {
    return new Mapping(Object.keys(json), (key) => {
      return typeof key === "string" && Object.hasOwn(json, key) ? celValueOf(json[key] as Json, others) : undefined;
    });
  }
  const properties = propertiesOf(schema, isResource);
  const names = namesOf(properties);
  // A property that is null counts as not there, for has() and for selection alike.
  const present = Object.keys(json).filter((property) => json[property] !== null);
  const keys = present.map((property) => escapeName(property) ?? property);
  const get = (key: Value) => {
    const property = names.get(key as string) ?? (key as string);
    const found = getOwn(json, property) ?? undefined;
    return found === undefined ? undefined : celValueOf(found, getOwn(properties, property));
  };
  return new Mapping(keys, get, true);
}

const names = new WeakMap<object, ReadonlyMap<string, string>>();

function namesOf(properties: Readonly<Record<string, Schema>>): ReadonlyMap<string, string> {
  let known = names.get(properties);
  if (known === undefined) {
    known = new Map(Object.keys(properties).map((property) => [escapeName(property) ?? property, property]));
    names.set(properties, known);
  }
  return known;
}

/** The identity of an element of a list-map, for `+` and equality; undefined where elements have none. */
export function elementKey(list: List, index: number, schema: Schema | undefined): string | undefined {
  const element = list.at(index);
  if (schema?.["x-kubernetes-list-type"] !== "map" || !(element instanceof Mapping)) return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  return JSON.stringify(keys.map((key) => String(element.get(escapeName(key) ?? key))));
}
