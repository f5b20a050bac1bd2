import { cloneJson, deepEqual, type Json } from "@trivium/std";
import { checkRules, hasRules } from "../cel/rules.ts";
import { type FieldError, invalid } from "../field-error.ts";
import { prune } from "../prune.ts";
import type { Schema } from "../schema.ts";
import { checkSchema } from "../validate/compile.ts";
import { checkEmbedded } from "../validate/embedded.ts";
import { below } from "./shape.ts";

/** Defaults are values like all others: they must fit the schema they stand in. */
export function faultsOfDefaults(schema: Schema, path: string): FieldError[] {
  const errors =
    schema.default === undefined || schema.default === null ? [] : faultsOfDefault(schema, schema.default, path);
  if (schema.items !== undefined) errors.push(...faultsOfDefaults(schema.items, `${path}.items`));
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    errors.push(...faultsOfDefaults(property, `${path}.properties[${key}]`));
  }
  return errors;
}

function faultsOfDefault(schema: Schema, value: Json, path: string): FieldError[] {
  const at = `${path}.default`;
  const errors: FieldError[] = [];
  const pruned = cloneJson(value);
  prune(schema, pruned, { isResourceRoot: schema["x-kubernetes-embedded-resource"] === true });
  if (!deepEqual(pruned, value)) errors.push(invalid(at, value, "must not have unknown fields"));
  const embedded = checkEmbedded(schema, value, at);
  if (embedded.length > 0) return [...errors, ...embedded];
  const wrong = checkSchema(schema, value).map((error) => ({ ...error, field: below(at, error.field) }));
  if (wrong.length > 0 || !hasRules(schema)) return [...errors, ...wrong];
  return [...errors, ...checkRules(schema, value, value, { path: at, isResource: false })];
}
