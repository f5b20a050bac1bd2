import { isObject, type Json, type JsonObject } from "@trivium/std";
import { decodeScalar, roundedUp } from "./decode-scalar.ts";
import { mismatch, type Place, pathOf } from "./place.ts";
import { type Shape, type StructShape, schemaProps, structOf } from "./shape.ts";

export { DecodeFault } from "./place.ts";

/**
 * Reads an object as the real server does, in place: fields nobody knows are dropped (their paths come back), nulls mean
 * "not said", quantities and times take their canonical form. Throws `DecodeFault` where a value has the wrong type.
 */
export function decodeObject(definition: string, object: JsonObject): string[] {
  const unknown: string[] = [];
  decodeStruct(structOf(definition), object, { place: undefined, unknown });
  return unknown;
}

interface Walk {
  readonly place: Place | undefined;
  readonly unknown: string[];
}

function decodeStruct(shape: StructShape, value: JsonObject, { place: up, unknown }: Walk): void {
  for (const key of Object.keys(value)) {
    const field = shape.fields.get(key);
    const given = value[key] as Json | undefined;
    if (field === undefined) {
      unknown.push(pathOf({ up, struct: shape.name, label: key, key }));
      delete value[key];
    } else if (given === undefined || given === null) {
      delete value[key];
    } else {
      const decoded = decodeValue(field.shape, given, { up, struct: shape.name, label: field.label, key }, unknown);
      if (decoded !== given) value[key] = decoded;
    }
  }
}

/** The canonical form of a value; objects and lists are changed in place. */
function decodeValue(shape: Shape, value: Json, place: Place, unknown: string[]): Json {
  switch (shape.is) {
    case "free":
      return value;
    case "schemaOrElse":
      for (const item of Array.isArray(value) ? value : [value]) {
        if (isObject(item)) decodeStruct(structOf(schemaProps), item, { place, unknown });
      }
      return value;
    case "struct":
      if (!isObject(value)) throw mismatch(shape, value, place);
      decodeStruct(shape, value, { place, unknown });
      return value;
    case "map":
      if (!isObject(value)) throw mismatch(shape, value, place);
      for (const key of Object.keys(value)) {
        const item = decodeItem(shape.inner, value[key] as Json, inside(place, key), unknown);
        value[key] = shape.inner.is === "quantity" ? roundedUp(item) : item;
      }
      return value;
    case "list":
      if (!Array.isArray(value)) throw mismatch(shape, value, place);
      for (let index = 0; index < value.length; index++) {
        value[index] = decodeItem(shape.inner, value[index] as Json, inside(place, index), unknown);
      }
      return value;
    default:
      return decodeScalar(shape, value, place);
  }
}

const inside = (up: Place, key: string | number): Place => ({ up, struct: up.struct, label: "", key });

/** A null in a list or map is the zero value there, not an absence. */
function decodeItem(shape: Shape, value: Json, place: Place, unknown: string[]): Json {
  return value === null ? zeroOf(shape) : decodeValue(shape, value, place, unknown);
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
