import type { Json } from "@trivium/std";
import { type FieldError, forbidden } from "../field-error.ts";
import type { Schema } from "../schema.ts";
import { checkSchema } from "../validate/compile.ts";

const text: Schema = { type: "string" };
const flag: Schema = { type: "boolean" };
const number: Schema = { type: "number" };
const count: Schema = { type: "integer", format: "int64" };
const texts: Schema = { type: "array", items: text };

/** The schema of schemas: which JSON a keyword may hold. It contains itself. */
const shape: Schema = { type: "object" };
const schemas: Schema = { type: "array", items: shape };
const rule: Schema = {
  type: "object",
  required: ["rule"],
  properties: {
    rule: text,
    message: text,
    messageExpression: text,
    reason: text,
    fieldPath: text,
    optionalOldSelf: flag,
  },
};
shape.properties = {
  type: text,
  format: text,
  title: text,
  description: text,
  nullable: flag,
  enum: { type: "array", items: {} },
  minimum: number,
  maximum: number,
  exclusiveMinimum: flag,
  exclusiveMaximum: flag,
  multipleOf: number,
  minLength: count,
  maxLength: count,
  pattern: text,
  minItems: count,
  maxItems: count,
  uniqueItems: flag,
  minProperties: count,
  maxProperties: count,
  required: texts,
  properties: { type: "object", additionalProperties: shape },
  additionalProperties: { anyOf: [{ type: "boolean" }, shape] },
  items: shape,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  not: shape,
  "x-kubernetes-int-or-string": flag,
  "x-kubernetes-preserve-unknown-fields": flag,
  "x-kubernetes-embedded-resource": flag,
  "x-kubernetes-list-type": text,
  "x-kubernetes-list-map-keys": texts,
  "x-kubernetes-map-type": text,
  "x-kubernetes-validations": { type: "array", items: rule },
};

/** No API is deeper; without a bound a schema could be made only to exhaust the stack. */
const deepest = 100;

/** Whether a schema that came from outside is JSON of the right shape at all. A real server refuses it while decoding. */
export function faultsOfShape(schema: Schema, path: string): FieldError[] {
  if (isDeeper(schema as Json, 4 * deepest)) return [forbidden(path, `must not nest deeper than ${deepest} levels`)];
  return checkSchema(shape, schema as Json).map((error) => ({ ...error, field: below(path, error.field) }));
}

export function below(path: string, field: string): string {
  return field === "<nil>" ? path : `${path}.${field}`;
}

function isDeeper(value: Json, levels: number): boolean {
  let row: Json[] = [value];
  for (let level = 0; row.length > 0; level++) {
    if (level > levels) return true;
    row = row.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
