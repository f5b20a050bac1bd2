import type { Json } from "@trivium/std";
import { checkRules, hasRules } from "../cel/rules.ts";
import { type FieldError, invalid } from "../field-error.ts";
import type { Schema } from "../schema.ts";
import { checkSchema } from "./compile.ts";
import { checkEmbedded } from "./embedded.ts";
import { checkListTypes } from "./list-types.ts";

/** Faults after which rules would run on values of the wrong shape or of any size. */
const blocking: ReadonlySet<FieldError["reason"]> = new Set<FieldError["reason"]>([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/**
 * All faults of an object, in the words of the real server: first the schema, then embedded objects and list types, then
 * the CEL rules. `old` is the stored object of an update, for rules about transitions.
 */
export function validate(schema: Schema, value: Json, old?: Json): FieldError[] {
  const errors = [...checkSchema(schema, value), ...checkEmbedded(schema, value), ...checkListTypes(schema, value)];
  if (!hasRules(schema)) return errors;
  if (errors.some((error) => blocking.has(error.reason))) return [...errors, unchecked];
  return [...errors, ...checkRules(schema, value, old)];
}

const unchecked = invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
