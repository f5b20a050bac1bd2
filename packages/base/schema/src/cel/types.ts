import type { Schema } from "../schema.ts";
import { escapeName } from "./escape.ts";

/** The type of a CEL expression. `most` bounds the size of values where a schema does. */
export type CelType =
  | { readonly is: SimpleType; readonly most?: number }
  | { readonly is: "list"; readonly of: CelType; readonly most?: number }
  | { readonly is: "map"; readonly key: CelType; readonly value: CelType; readonly most?: number }
  | { readonly is: "object"; readonly fields: () => ReadonlyMap<string, Field>; readonly most?: number }
  | { readonly is: "optional"; readonly of: CelType; readonly most?: number }
  /** Stands for any type in a signature: the same one wherever the name is the same. */
  | { readonly is: "param"; readonly name: string; readonly most?: number };

export interface Field {
  /** The name of the property in the data; the name in rules is escaped. */
  readonly property: string;
  readonly type: CelType;
}

export type SimpleType =
  | "dyn"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null_type"
  | "timestamp"
  | "duration"
  | "type"
  | "kubernetes.Quantity"
  | "kubernetes.URL"
  | "kubernetes.Semver"
  | "kubernetes.NamedFormat"
  | "net.IP"
  | "net.CIDR";

export const simple = (is: SimpleType): CelType => ({ is });
export const dyn = simple("dyn");
export const bool = simple("bool");
export const int = simple("int");
export const string = simple("string");
export const listOf = (of: CelType): CelType => ({ is: "list", of });

/** As CEL writes types in messages. */
export function formatType(type: CelType): string {
  switch (type.is) {
    case "list":
      return `list(${formatType(type.of)})`;
    case "map":
      return `map(${formatType(type.key)}, ${formatType(type.value)})`;
    case "optional":
      return `optional_type(${formatType(type.of)})`;
    case "param":
      return type.name;
    case "null_type":
      return "null";
    default:
      return type.is;
  }
}

/** The largest request the real server reads; what has no bound of its own is bounded by it. */
export const largestRequest = 3 * 1024 * 1024;

const declared = new WeakMap<Schema, CelType | "none">();
const declaredRoots = new WeakMap<Schema, CelType | "none">();

/** The CEL type of values of a schema, or undefined where rules cannot see them. */
export function typeOfSchema(
  schema: Schema,
  isResource = schema["x-kubernetes-embedded-resource"] === true,
): CelType | undefined {
  const cache = isResource ? declaredRoots : declared;
  const known = cache.get(schema);
  if (known !== undefined) return known === "none" ? undefined : known;
  const type = makeType(schema, isResource);
  cache.set(schema, type ?? "none");
  return type;
}

function makeType(schema: Schema, isResource: boolean): CelType | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return { is: "dyn", most: textBound(schema) };
  switch (schema.type) {
    case "array": {
      const of = schema.items && typeOfSchema(schema.items);
      if (of === undefined) return undefined;
      const most = schema.maxItems ?? Math.floor((largestRequest - 2) / (minSize(schema.items as Schema) + 1));
      return { is: "list", of, most: Math.max(0, most) };
    }
    case "object":
      return objectType(schema, isResource);
    case "string":
      return textType(schema);
    case "boolean":
      return { is: "bool", most: 0 };
    case "number":
      return { is: "double", most: 0 };
    case "integer":
      return { is: "int", most: 0 };
    default:
      return undefined;
  }
}

function objectType(schema: Schema, isResource: boolean): CelType | undefined {
  const others = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  if (others !== undefined) {
    const value = typeOfSchema(others);
    if (value === undefined) return undefined;
    const most = schema.maxProperties ?? Math.floor((largestRequest - 2) / (minSize(others) + 6));
    // The real server prices the text of a key at nothing; CRDs in the wild rely on that.
    return { is: "map", key: { ...string, most: 0 }, value, most: Math.max(0, most) };
  }
  let fields: Map<string, Field> | undefined;
  return {
    is: "object",
    most: 0,
    fields: () => {
      fields ??= fieldsOf(propertiesOf(schema, isResource));
      return fields;
    },
  };
}

const text: Schema = { type: "string" };
const head: Record<string, Schema> = {
  apiVersion: text,
  kind: text,
  metadata: { type: "object", properties: { name: text, generateName: text } },
};

/** What rules see of an object. Of the head of a whole resource that is little: other metadata is not theirs to judge. */
export function propertiesOf(schema: Schema, isResource: boolean): Readonly<Record<string, Schema>> {
  if (!isResource) return schema.properties ?? none;
  let known = withHead.get(schema);
  if (known === undefined) {
    known = { ...schema.properties, ...head };
    withHead.set(schema, known);
  }
  return known;
}

const none: Readonly<Record<string, Schema>> = {};
const withHead = new WeakMap<Schema, Readonly<Record<string, Schema>>>();

function fieldsOf(properties: Readonly<Record<string, Schema>>): Map<string, Field> {
  const fields = new Map<string, Field>();
  for (const [property, schema] of Object.entries(properties)) {
    const name = escapeName(property);
    const type = typeOfSchema(schema);
    if (name !== undefined && type !== undefined) fields.set(name, { property, type });
  }
  return fields;
}

function textType(schema: Schema): CelType {
  switch (schema.format) {
    case "byte":
      return { is: "bytes", most: schema.maxLength ?? largestRequest - 2 };
    case "duration":
      return { is: "duration", most: 32 };
    case "date":
      return { is: "timestamp", most: 12 };
    case "date-time":
      return { is: "timestamp", most: 32 };
    default:
      return { is: "string", most: textBound(schema) };
  }
}

function textBound(schema: Schema): number {
  if (schema.maxLength !== undefined) return Math.max(0, schema.maxLength) * 4;
  if (schema["x-kubernetes-int-or-string"] !== true && schema.enum !== undefined && schema.enum.length > 0) {
    return Math.max(0, ...schema.enum.map((value) => (typeof value === "string" ? value.length : 0)));
  }
  return largestRequest - 2;
}

/** The fewest bytes a value can take, which bounds how many of them fit into a request. */
export function minSize(schema: Schema): number {
  if (schema["x-kubernetes-int-or-string"] === true) return 1;
  switch (schema.type) {
    case "string":
      return { duration: 3, date: 12, "date-time": 21 }[schema.format ?? ""] ?? 2;
    case "boolean":
      return 4;
    case "number":
    case "integer":
      return 1;
    case "object":
      return minObject(schema);
    default:
      return 2;
  }
}

function minObject(schema: Schema): number {
  if (typeof schema.additionalProperties === "object") return 2;
  let size = 2;
  for (const name of schema.required ?? []) {
    const property = schema.properties?.[name];
    if (property === undefined || property.default !== undefined || typeOfSchema(property) === undefined) continue;
    size += name.length + minSize(property) + 4;
  }
  return size;
}
