import {
  formatMicroTime,
  formatQuantity,
  formatTime,
  isObject,
  type Json,
  type JsonObject,
  parseQuantity,
  parseTime,
} from "@trivium/std";
import { type Scalar, type Shape, type StructShape, schemaProps, structOf } from "./shape.ts";

/** A value that the real server could not have decoded. The message is the one a client sees. */
export class DecodeFault extends Error {}

/** Where the decoder is: the struct and the path of fields in it that messages name, and the path with indices. */
interface Place {
  readonly struct: string;
  readonly labels: string;
  readonly path: string;
  readonly unknown: string[];
}

/**
 * Reads an object as the real server does, in place: fields nobody knows are dropped (their paths come back), nulls mean
 * "not said", quantities and times take their canonical form. Throws `DecodeFault` where a value has the wrong type.
 */
export function decodeObject(definition: string, object: JsonObject): string[] {
  const unknown: string[] = [];
  decodeStruct(structOf(definition), object, { struct: "", labels: "", path: "", unknown });
  return unknown;
}

function decodeStruct(shape: StructShape, value: JsonObject, place: Place): void {
  for (const key of Object.keys(value)) {
    const field = shape.fields.get(key);
    const path = place.path === "" ? key : `${place.path}.${key}`;
    if (field === undefined) {
      place.unknown.push(path);
      delete value[key];
      continue;
    }
    const given = value[key] as Json | undefined;
    if (given === undefined || (given === null && field.shape.is !== "free")) {
      delete value[key];
      continue;
    }
    const labels = place.labels === "" ? field.label : `${place.labels}.${field.label}`;
    const decoded = decodeValue(field.shape, given, { ...place, struct: shape.name, labels, path });
    if (decoded !== given) value[key] = decoded;
  }
}

/** The canonical form of a value; objects and lists are changed in place. */
function decodeValue(shape: Shape, value: Json, place: Place): Json {
  switch (shape.is) {
    case "free":
      return value;
    case "schemaOrElse":
      return decodeSchemaOrElse(value, place);
    case "struct":
      if (!isObject(value)) throw mismatch(shape, value, place);
      decodeStruct(shape, value, place);
      return value;
    case "map":
      if (!isObject(value)) throw mismatch(shape, value, place);
      for (const key of Object.keys(value)) {
        value[key] = decodeItem(shape.inner, value[key] as Json, { ...place, path: `${place.path}.${key}` });
      }
      return value;
    case "list":
      if (!Array.isArray(value)) throw mismatch(shape, value, place);
      value.forEach((item, index) => {
        value[index] = decodeItem(shape.inner, item, { ...place, path: `${place.path}[${index}]` });
      });
      return value;
    default:
      return decodeScalar(shape, value, place);
  }
}

/** A null in a list or map is the zero value there, not an absence. */
function decodeItem(shape: Shape, value: Json, place: Place): Json {
  return value === null ? zeroOf(shape) : decodeValue(shape, value, place);
}

function zeroOf(shape: Shape): Json {
  switch (shape.is) {
    case "string":
    case "bytes":
      return "";
    case "int32":
    case "int64":
    case "float64":
    case "intOrString":
      return 0;
    case "bool":
      return false;
    case "quantity":
      return "0";
    case "struct":
    case "map":
      return {};
    default:
      return null;
  }
}

function decodeSchemaOrElse(value: Json, place: Place): Json {
  const shape = structOf(schemaProps);
  const items = Array.isArray(value) ? value : [value];
  for (const item of items) if (isObject(item)) decodeStruct(shape, item, place);
  return value;
}

function decodeScalar(shape: { is: Scalar; go: string }, value: Json, place: Place): Json {
  switch (shape.is) {
    case "string":
      if (typeof value !== "string") throw mismatch(shape, value, place);
      return value;
    case "bool":
      if (typeof value !== "boolean") throw mismatch(shape, value, place);
      return value;
    case "int32":
      if (!isIntegerUpTo(value, 2 ** 31)) throw mismatch(shape, value, place);
      return value;
    case "int64":
      if (!isIntegerUpTo(value, 2 ** 63)) throw mismatch(shape, value, place);
      return value;
    case "float64":
      if (typeof value !== "number") throw mismatch(shape, value, place);
      return value;
    case "bytes":
      return decodeBytes(shape, value, place);
    case "time":
    case "microTime":
      return decodeTime(shape, value, place);
    case "quantity":
      return decodeQuantity(value);
    case "intOrString":
      if (typeof value === "string" || isIntegerUpTo(value, 2 ** 31)) return value;
      throw mismatch({ go: "int32" }, value, place);
  }
}

const isIntegerUpTo = (value: Json, limit: number): boolean =>
  typeof value === "number" && Number.isInteger(value) && value >= -limit && value < limit;

function decodeTime(shape: { is: Scalar; go: string }, value: Json, place: Place): Json {
  if (typeof value !== "string") throw mismatch(shape, value, place);
  const at = parseTime(value);
  if (at !== undefined) return shape.is === "time" ? formatTime(at) : microseconds(value, at);
  const form = shape.is === "time" ? "2006-01-02T15:04:05Z07:00" : "2006-01-02T15:04:05.000000Z07:00";
  throw new DecodeFault(
    `parsing time ${JSON.stringify(value)} as "${form}": cannot parse ${JSON.stringify(value)} as "2006"`,
  );
}

/** Whole microseconds survive only as text; another time zone is brought to UTC at the cost of what is below a millisecond. */
function microseconds(text: string, at: number): string {
  const fraction = /\.(\d+)Z$/.exec(text)?.[1];
  return fraction === undefined
    ? formatMicroTime(at)
    : `${formatMicroTime(at).slice(0, 20)}${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}

function decodeQuantity(value: Json): Json {
  const quantity = typeof value === "string" || typeof value === "number" ? parseQuantity(value) : undefined;
  if (quantity !== undefined) return formatQuantity(quantity);
  throw new DecodeFault("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

function decodeBytes(shape: { go: string }, value: Json, place: Place): Json {
  if (typeof value !== "string") throw mismatch(shape, value, place);
  const text = value.replace(/[\r\n]/g, "");
  const wrong = /[^A-Za-z0-9+/]/.exec(text.replace(/={0,2}$/, ""))?.index;
  if (wrong !== undefined) throw new DecodeFault(`illegal base64 data at input byte ${wrong}`);
  if (text.length % 4 !== 0)
    throw new DecodeFault(`illegal base64 data at input byte ${text.length - (text.length % 4)}`);
  return text;
}

function mismatch(shape: { go: string }, value: Json, place: Place): DecodeFault {
  const field = `Go struct field ${place.struct}.${place.labels}`;
  return new DecodeFault(`json: cannot unmarshal ${wordFor(value, shape.go)} into ${field} of type ${shape.go}`);
}

function wordFor(value: Json, go: string): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return /^(int|float)/.test(go) ? `number ${value}` : "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}
