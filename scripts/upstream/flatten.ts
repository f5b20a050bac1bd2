import type { Schema } from "@trivium/schema";
import { typeOf } from "../parity/difference.ts";
import type { FieldTypes } from "./facts.ts";
import { findEmbedded, matchType } from "./kubernetes-types.ts";

/** Every field below `spec` and `status` of a kind, with its type. A type of Kubernetes is one field. */
export function flattenSchema(schema: Schema): FieldTypes {
  const fields: Record<string, string> = {};
  for (const part of ["spec", "status"]) {
    const inner = schema.properties?.[part];
    if (inner !== undefined) collect(fields, part, inner);
  }
  return fields;
}

function collect(fields: Record<string, string>, path: string, schema: Schema): void {
  fields[path] = nameType(schema);
  collectInsides(fields, path, schema);
}

function collectInsides(fields: Record<string, string>, path: string, schema: Schema): void {
  const names = namesOf(schema);
  if (matchType(names) !== undefined) return;
  if (schema.items !== undefined) collectInsides(fields, `${path}[]`, schema.items);
  const more = schema.additionalProperties;
  if (typeof more === "object") collectInsides(fields, `${path}{}`, more);
  const embedded = findEmbedded(names)?.fields;
  for (const name of names.filter((each) => !embedded?.has(each))) {
    collect(fields, `${path}.${name}`, schema.properties?.[name] as Schema);
  }
}

const namesOf = (schema: Schema): string[] => Object.keys(schema.properties ?? {}).sort();

function nameType(schema: Schema): string {
  const type = typeOf(schema);
  const more = schema.additionalProperties;
  if (type === "array") return `[]${schema.items === undefined ? "any" : nameType(schema.items)}`;
  if (type === "map" && typeof more === "object") return `map[${nameType(more)}]`;
  const names = namesOf(schema);
  const embedded = findEmbedded(names);
  return matchType(names) ?? (embedded && `${embedded.name} and more`) ?? schema.format ?? type;
}
