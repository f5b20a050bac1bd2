import { append, type Json } from "@trivium/std";
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
 * the CEL rules. `old` is the stored object of an update, for rules about transitions; faults of what is as it was there
 * are forgiven. Broken rules that are forgiven are told to `forgive`.
 */
export function validate(
  schema: Schema,
  value: Json,
  old?: Json,
  forgive: (error: FieldError) => void = () => undefined,
): FieldError[] {
  const errors = [...checkSchema(schema, value, old), ...checkEmbedded(schema, value)];
  append(errors, checkChangedListTypes(schema, value, old));
  if (!hasRules(schema)) return errors;
  if (errors.some((error) => blocking.has(error.reason))) return [...errors, unchecked];
  return [...errors, ...checkRules(schema, value, old, { forgive })];
}

/** An object that had such faults already may have others now: upstream looks no closer. */
function checkChangedListTypes(schema: Schema, value: Json, old: Json | undefined): FieldError[] {
  const errors = checkListTypes(schema, value);
  return errors.length > 0 && old !== undefined && checkListTypes(schema, old).length > 0 ? [] : errors;
}

const unchecked = invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);
