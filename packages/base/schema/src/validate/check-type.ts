import type { Json } from "@trivium/std";
import { typeInvalid } from "../field-error.ts";
import { formatCheck } from "../formats.ts";
import { quoteGo } from "../go-text.ts";
import type { Schema } from "../schema.ts";
import type { Check } from "./report.ts";

const largestInteger = 2 ** 63;

/** The JSON type of a value, as the server's decoder sees it: whole numbers that fit 64 bits are integers. */
export function typeOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return isInteger(value) ? "integer" : "number";
  return typeof value;
}

export const isInteger = (value: number) =>
  Number.isInteger(value) && value < largestInteger && value >= -largestInteger;

/** The types a schema allows; none where it says nothing. */
export function typesOf(schema: Schema): readonly string[] {
  if (schema["x-kubernetes-int-or-string"] === true) return ["integer", "string"];
  return schema.type === undefined ? [] : [schema.type];
}

export function typeCheck(schema: Schema): Check | undefined {
  const types = typesOf(schema);
  const format = checkedFormat(schema);
  if (types.length === 0) {
    return format === undefined ? undefined : (value, report) => void (value !== null && report.matches++);
  }
  const isNullable = schema.nullable === true;
  const wanted = types.join(",");
  return (value, report) => {
    const found = typeOf(value);
    const isRight =
      types.includes(found) || (found === "integer" && types.includes("number")) || (found === "null" && isNullable);
    if (isRight) {
      report.matches++;
      return;
    }
    // Upstream compares formats, not types, where the schema has one and the value is no text.
    const isByFormat = format !== undefined && value !== null && typeof value !== "string" && !Array.isArray(value);
    const words = isByFormat ? { wanted: format, found: formatOfValue(found) } : { wanted, found };
    const path = report.path.toString();
    const detail = `${path} in body must be of type ${words.wanted}: ${quoteGo(words.found)}`;
    report.add(typeInvalid(path, words.found, detail));
  };
}

function checkedFormat({ type, format, ...schema }: Schema): string | undefined {
  if (type === "integer") return format === "int32" || format === "int64" ? format : undefined;
  if (type === "number") return format === "float" || format === "double" ? format : undefined;
  if ((type !== undefined && type !== "string") || schema["x-kubernetes-int-or-string"] === true) return undefined;
  return formatCheck(format) === undefined ? undefined : format;
}

const formatOfValue = (type: string) => (type === "integer" ? "int64" : type === "number" ? "float64" : "");
