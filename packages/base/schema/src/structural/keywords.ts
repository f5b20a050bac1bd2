import { append, type Json } from "@trivium/std";
import { pathOfField } from "../cel/field-path.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "../field-error.ts";
import { reaches } from "../reach.ts";
import type { Rule, Schema } from "../schema.ts";

/** What surrounds a schema and changes what it may say. */
export interface Context {
  /** Why a default may not stand here. */
  readonly noDefaults?: string;
  readonly isInMetadata?: boolean;
  readonly isRoot?: boolean;
}

const types = ["array", "boolean", "integer", "number", "object", "string"];

/** Keywords of JSON schema that a CRD may not use at all. */
const unsupported = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];

export const hasForeignKeywords = reaches((schema) => unsupported.some((name) => Object.hasOwn(schema, name)));

/** Faults of the keywords of one schema, without those inside it. */
export function faultsOfKeywords(schema: Schema, path: string, context: Context): FieldError[] {
  return [
    ...faultsOfStandard(schema, path, context),
    ...faultsOfMapType(schema, path),
    ...faultsOfListType(schema, path),
    ...(schema["x-kubernetes-list-type"] === "map" ? faultsOfListMap(schema, path) : []),
    ...faultsOfIdentity(schema, path),
    ...(schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) => {
      return faultsOfRule(rule, schema, `${path}.x-kubernetes-validations[${index}]`);
    }),
  ];
}

function faultsOfStandard(schema: Schema, path: string, context: Context): FieldError[] {
  const errors: FieldError[] = [];
  const { type } = schema as { type?: string };
  if (type && !types.includes(type)) errors.push(notSupported(`${path}.type`, type, types));
  if (schema.default !== undefined && context.noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${context.noDefaults}`));
  }
  for (const name of unsupported) {
    if (Object.hasOwn(schema, name)) errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === "null") {
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (context.isInMetadata && schema["x-kubernetes-embedded-resource"] === true) {
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, "must not be used inside of resource meta"));
  }
  if (schema.uniqueItems === true) {
    const words = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    errors.push(forbidden(`${path}.uniqueItems`, words));
  }
  const hasProperties = Object.keys(schema.properties ?? {}).length > 0;
  if (hasProperties && schema.additionalProperties !== undefined && schema.additionalProperties !== true) {
    errors.push(forbidden(`${path}.additionalProperties`, "additionalProperties and properties are mutual exclusive"));
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  return errors;
}

function wrongType(schema: Schema, path: string, words: string): FieldError {
  return schema.type === undefined ? required(`${path}.type`, words) : invalid(`${path}.type`, schema.type, words);
}

function faultsOfMapType(schema: Schema, path: string): FieldError[] {
  const mapType: string | undefined = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return [];
  const errors =
    schema.type === "object" ? [] : [wrongType(schema, path, "must be object if x-kubernetes-map-type is specified")];
  const known = ["atomic", "granular"];
  return known.includes(mapType) ? errors : [...errors, notSupported(`${path}.x-kubernetes-map-type`, mapType, known)];
}

function faultsOfListType(schema: Schema, path: string): FieldError[] {
  const listType: string | undefined = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = `${path}.x-kubernetes-list-type`;
  const errors: FieldError[] = [];
  if (listType !== undefined && schema.type !== "array") {
    errors.push(wrongType(schema, path, "must be array if x-kubernetes-list-type is specified"));
  } else if (listType === "set" && schema.items !== undefined) append(errors, faultsOfSetItems(schema.items, path));
  const known = ["atomic", "set", "map"];
  if (listType !== undefined && !known.includes(listType)) errors.push(notSupported(at, listType, known));
  if (keys.length === 0) return errors;
  const words = "must be map if x-kubernetes-list-map-keys is non-empty";
  if (listType === undefined) errors.push(required(at, words));
  else if (listType !== "map") errors.push(invalid(at, listType, words));
  return errors;
}

/** Elements of a set are compared whole, so nothing inside them may be merged. */
function faultsOfSetItems(items: Schema, path: string): FieldError[] {
  const words = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const inner = items["x-kubernetes-list-type"];
  if (items.type === "array" && inner !== undefined && inner !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-list-type`, inner, words)];
  }
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    return [invalid(`${path}.items.x-kubernetes-map-type`, inner ?? null, words)];
  }
  return [];
}

function faultsOfListMap(schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  const { items } = schema;
  if (items === undefined) {
    errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
    return errors;
  }
  if (items.type !== "object") {
    const words = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${path}.items.type`, items.type ?? "", words));
    return errors;
  }
  for (const [index, key] of keys.entries()) {
    const type = items.properties?.[key]?.type;
    if (type === "array" || type === "object") {
      const words = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, words));
    } else if (items.properties?.[key] === undefined) {
      errors.push(invalid(at, keys as Json, "entries must all be names of item properties"));
    }
    if (keys.indexOf(key) < index) errors.push(invalid(at, keys as Json, "must not contain duplicate entries"));
  }
  return errors;
}

/** What tells elements apart must always be there. */
function faultsOfIdentity(schema: Schema, path: string): FieldError[] {
  const listType = schema["x-kubernetes-list-type"];
  const { items } = schema;
  if (items === undefined || (listType !== "set" && listType !== "map")) return [];
  const errors: FieldError[] = [];
  if (items.nullable === true) {
    errors.push(forbidden(`${path}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`));
  }
  for (const key of listType === "map" ? (schema["x-kubernetes-list-map-keys"] ?? []) : []) {
    const property = items.properties?.[key];
    if (property === undefined) continue;
    const at = `${path}.items.properties[${key}]`;
    if (items.required?.includes(key) !== true && property.default === undefined) {
      const words = "so it must have a default or be a required property";
      errors.push(required(`${at}.default`, `this property is in x-kubernetes-list-map-keys, ${words}`));
    }
    if (property.nullable === true) {
      const words = "this property is in x-kubernetes-list-map-keys, so it cannot be nullable";
      errors.push(forbidden(`${at}.nullable`, words));
    }
  }
  return errors;
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];

function faultsOfRule(rule: Rule, schema: Schema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const message = (rule.message ?? "").trim();
  if (rule.rule.trim() === "") errors.push(required(`${path}.rule`, "rule is not specified"));
  else if (rule.message && message === "") {
    errors.push(invalid(`${path}.message`, rule.message, "must be non-empty if specified"));
  } else if (message.includes("\n")) {
    errors.push(invalid(`${path}.message`, rule.message as string, "must not contain line breaks"));
  } else if (rule.rule.trim().includes("\n") && message === "") {
    errors.push(required(`${path}.message`, "message must be specified if rule contains line breaks"));
  }
  if (rule.messageExpression && rule.messageExpression.trim() === "") {
    errors.push(required(`${path}.messageExpression`, "messageExpression must be non-empty if specified"));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(notSupported(`${path}.reason`, rule.reason, reasons));
  }
  if (rule.fieldPath && pathOfField(rule.fieldPath, schema) === undefined) {
    errors.push(invalid(`${path}.fieldPath`, rule.fieldPath, "must be a valid path"));
  }
  return errors;
}
