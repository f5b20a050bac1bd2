import { append, cloneJson, deepEqual, type Json } from "@trivium/std";
import { checkRules, hasRules } from "../cel/rules.ts";
import { sizeOfDefault, sizeWithDefaults } from "../default-size.ts";
import { maxDefaultBytes } from "../defaults.ts";
import { type FieldError, forbidden, invalid } from "../field-error.ts";
import { prune } from "../prune.ts";
import type { Schema } from "../schema.ts";
import { checkSchema } from "../validate/compile.ts";
import { checkEmbedded } from "../validate/embedded.ts";
import { below } from "./shape.ts";

/** Defaults are values like all others: they must fit the schema they stand in. */
export function faultsOfDefaults(schema: Schema, path: string): FieldError[] {
  const errors =
    schema.default === undefined || schema.default === null ? [] : faultsOfDefault(schema, schema.default, path);
  if (schema.items !== undefined) append(errors, faultsOfDefaults(schema.items, `${path}.items`));
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    append(errors, faultsOfDefaults(property, `${path}.properties[${key}]`));
  }
  return errors;
}

/** Objects that no server could store are refused before the first of them is made. */
export function faultOfDefaultSize(schema: Schema, path: string): FieldError | undefined {
  for (const [inner, at] of schemasInside(schema, path)) {
    const fault = faultOfDefaultSize(inner, at);
    if (fault !== undefined) return fault;
  }
  const isTooLarge = (schema.default ?? null) !== null && sizeOfDefault(schema) > maxDefaultBytes;
  if (!isTooLarge) return undefined;
  const detail = `with the defaults inside it this default takes ${sizeOfDefault(schema)} bytes, the limit is ${maxDefaultBytes}`;
  return forbidden(`${path}.default`, detail);
}

/** The same of all defaults together, in an object that says nothing. */
export function faultOfAllDefaults(schema: Schema, path: string): FieldError | undefined {
  const size = sizeWithDefaults(schema, {});
  if (size <= maxDefaultBytes) return undefined;
  const detail = `the defaults of an empty object take ${size} bytes, the limit is ${maxDefaultBytes}`;
  return forbidden(path, detail);
}

function schemasInside(schema: Schema, path: string): (readonly [Schema, string])[] {
  const inside: (readonly [Schema, string])[] = Object.entries(schema.properties ?? {}).map(([key, property]) => [
    property,
    `${path}.properties[${key}]`,
  ]);
  if (schema.items !== undefined) inside.push([schema.items, `${path}.items`]);
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object") inside.push([additionalProperties, `${path}.additionalProperties`]);
  return inside;
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
