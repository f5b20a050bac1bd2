import type { Json } from "@trivium/std";
import { type FieldError, formatFieldError } from "../field-error.ts";
import type { Schema } from "../schema.ts";
import { combinationCheck, listCheck, objectCheck } from "./check-composite.ts";
import { enumCheck, numberCheck, stringCheck, stringFormatCheck } from "./check-scalar.ts";
import { typeCheck } from "./check-type.ts";
import { Correlation } from "./correlation.ts";
import { type Check, Report } from "./report.ts";

const compiled = new WeakMap<Schema, Check>();

/** The check of a schema, made at its first use: schemas may be cyclic, and most parts of most schemas are never used. */
export function compileSchema(schema: Schema): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  let check: Check | undefined;
  const lazy: Check = (value, report) => {
    check ??= makeCheck(schema);
    check(value, report);
  };
  compiled.set(schema, lazy);
  return lazy;
}

/** The order is that of the real server, which shows in the order of its messages. */
function makeCheck(schema: Schema): Check {
  const type = typeCheck(schema);
  const combination = combinationCheck(schema, compileSchema);
  const text = present(stringCheck(schema), stringFormatCheck(schema));
  const numbers = numberCheck(schema);
  const list = listCheck(schema, compileSchema);
  const allowed = enumCheck(schema);
  const object = objectCheck(schema, compileSchema);
  return (value, report) => {
    if (value === null) {
      type?.(value, report);
      allowed?.(value, report);
      return;
    }
    if (type !== undefined) {
      report.matches++;
      type(value, report);
    }
    combination(value, report);
    report.matches += 2;
    switch (typeof value) {
      case "string":
        report.matches++;
        for (const check of text) check(value, report);
        break;
      case "number":
        numbers(value, report);
        break;
      case "object":
        if (Array.isArray(value)) list(value, report);
        break;
    }
    allowed?.(value, report);
    if (typeof value === "object") object(value, report);
  };
}

const present = (...checks: (Check | undefined)[]) => checks.filter((check) => check !== undefined);

/**
 * The schema pass alone: types, values, and combinations of schemas. Faults of what is as it was before are left out; they
 * are looked for only where there are faults at all.
 */
export function checkSchema(schema: Schema, value: Json, old?: Json): FieldError[] {
  const check = compileSchema(schema);
  let report = new Report();
  check(value, report);
  if (report.errors.length > 0 && old !== undefined) {
    report = new Report(new Correlation(schema, value, old));
    check(value, report);
  }
  return withoutRepeats(report.errors.map(named));
}

/** The root has no name; errors about it say so. */
const named = (error: FieldError): FieldError => (error.field === "" ? { ...error, field: "<nil>" } : error);

function withoutRepeats(errors: FieldError[]): FieldError[] {
  if (errors.length < 2) return errors;
  const seen = new Map(errors.map((error) => [formatFieldError(error), error]));
  return [...seen.values()];
}
