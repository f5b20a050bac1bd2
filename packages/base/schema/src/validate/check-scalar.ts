import { deepEqual, type Json } from "@trivium/std";
import { invalid, notSupported, tooLong, typeInvalid } from "../field-error.ts";
import { formatCheck } from "../formats.ts";
import { formatGoFloat, formatGoNumber, quoteGo } from "../go-text.ts";
import { faultOfPattern, matcherOf } from "../regex/index.ts";
import type { Schema } from "../schema.ts";
import { isInteger } from "./check-type.ts";
import type { Check, Report } from "./report.ts";

/** Characters, not UTF-16 units. */
export function runeCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length - 1; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

/** Length and pattern: the first that fails is told. */
export function stringCheck(schema: Schema): Check | undefined {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  if (schema.minLength === undefined && schema.maxLength === undefined && !pattern) return undefined;
  return (value, report) => {
    if (typeof value !== "string") return;
    const length = runeCount(value);
    const path = () => report.path.toString();
    if (length > maxLength) report.add(tooLong(path(), maxLength));
    else if (length < minLength) {
      report.add(invalid(path(), value, `${path()} in body should be at least ${minLength} chars long`));
    } else if (pattern) checkPattern(pattern, value, report);
  };
}

function checkPattern(pattern: string, value: string, report: Report): void {
  const fault = faultOfPattern(pattern);
  if (fault === undefined && matcherOf(pattern).test(value)) return;
  const path = report.path.toString();
  const shown = fault === undefined ? pattern : `${pattern}, but pattern is invalid: ${fault}`;
  report.add(invalid(path, value, `${path} in body should match '${shown}'`));
}

/** Formats mean something for strings only where the schema's type is string or open. */
export function stringFormatCheck(schema: Schema): Check | undefined {
  if (schema.type !== undefined && schema.type !== "string") return undefined;
  const isWellFormed = schema["x-kubernetes-int-or-string"] === true ? undefined : formatCheck(schema.format);
  if (isWellFormed === undefined) return undefined;
  return (value, report) => {
    if (typeof value !== "string") return;
    report.matches++;
    if (isWellFormed(value)) return;
    const path = report.path.toString();
    report.add(typeInvalid(path, value, `${path} in body must be of type ${schema.format}: ${quoteGo(value)}`));
  };
}

export function numberCheck(schema: Schema): Check {
  const range = numberRange(schema);
  const { multipleOf, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  return (value, report) => {
    if (typeof value !== "number") return;
    report.matches += 2;
    if (range !== undefined && !range.has(value)) {
      report.addUnplaced(`Checked value must be of type ${range.words} in ${report.path}`);
    }
    // Bounds are printed as what the value is: a whole number or a float.
    const show = isInteger(value) ? formatGoNumber : formatGoFloat;
    const fail = (detail: string) => {
      const path = report.path.toString();
      report.add(invalid(path, value, `${path} in body should be ${detail}`));
    };
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) fail(`a multiple of ${show(multipleOf)}`);
    if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
      fail(`greater than ${exclusiveMinimum ? "" : "or equal to "}${show(minimum)}`);
    }
    if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
      fail(`less than ${exclusiveMaximum ? "" : "or equal to "}${show(maximum)}`);
    }
  };
}

function numberRange(schema: Schema): { has(value: number): boolean; words: string } | undefined {
  if (schema["x-kubernetes-int-or-string"] === true) return undefined;
  if (schema.type === "number" && schema.format === "float") {
    return { has: (value) => Math.abs(value) <= 3.4028235677973366e38, words: "number with format float" };
  }
  if (schema.type !== "integer") return undefined;
  if (schema.format === "int32") {
    return { has: (value) => isInteger(value) && value === (value | 0), words: "integer with format int32" };
  }
  return { has: isInteger, words: `integer ${schema.format === "int64" ? "with format int64" : "(default format)"}` };
}

function isMultiple(value: number, factor: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(factor)) return value % factor === 0;
  return Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

export function enumCheck(schema: Schema): Check | undefined {
  const values = schema.enum;
  if (values === undefined || values.length === 0) return undefined;
  const scalars = new Set<Json>(values.filter((value) => value === null || typeof value !== "object"));
  const others = values.filter((value) => value !== null && typeof value === "object");
  // The real server never finds null among the allowed values, even where it is one of them.
  scalars.delete(null);
  const supported = values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  return (value, report) => {
    if (scalars.has(value) || others.some((other) => deepEqual(other, value))) return;
    report.add(notSupported(report.path.toString(), value, supported));
  };
}
