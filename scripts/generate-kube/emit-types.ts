import { type Definitions, type RawSchema, type ResourceRow, referenceOf } from "./facts.ts";
import { handWritten } from "./names.ts";
import { definitionOf } from "./select.ts";

/** Definitions that are not objects of their own in TypeScript. */
const aliases: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "number | string",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "number | string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "string",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "string",
};

/** Kinds whose `spec` a writer may leave out, and the server does not fill in. */
const specIsOptional = new Set(["Namespace", "Node", "Lease", "IngressClass"]);

/** TypeScript declarations of all definitions. */
export function emitTypes(definitions: Definitions, names: ReadonlyMap<string, string>): string {
  const imports = [...new Set(Object.values(handWritten))].sort().join(", ");
  const lines = [
    `import type { Json, JsonObject } from "@trivium/std";`,
    `import type { KubeObject, ${imports} } from "../object.ts";\n`,
    `export type { ${imports} };\n`,
  ];
  for (const [definition, schema] of Object.entries(definitions)) {
    if (definition in handWritten) continue;
    lines.push(declarationOf(names.get(definition) ?? definition, aliases[definition] ?? schema, names));
  }
  return lines.join("\n");
}

function declarationOf(name: string, schema: RawSchema | string, names: ReadonlyMap<string, string>): string {
  if (typeof schema === "string") return `export type ${name} = ${schema};\n`;
  if (schema.properties === undefined) return `export type ${name} = ${typeOf(schema, names)};\n`;
  const isKind = "apiVersion" in schema.properties && "kind" in schema.properties && "metadata" in schema.properties;
  const skipped = isKind ? ["apiVersion", "kind", "metadata"] : [];
  const required = new Set(schema.required ?? []);
  if (isKind && !specIsOptional.has(name)) required.add("spec");
  const fields = Object.entries(schema.properties)
    .filter(([field]) => !skipped.includes(field))
    .map(([field, part]) => fieldOf(field, typeOf(part, names), required.has(field)));
  return `export interface ${name}${isKind ? " extends KubeObject" : ""} {\n${fields.join("")}}\n`;
}

const fieldOf = (name: string, type: string, required: boolean): string => {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return required ? `  ${key}: ${type};\n` : `  ${key}?: ${type} | undefined;\n`;
};

function typeOf(schema: RawSchema, names: ReadonlyMap<string, string>): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return names.get(reference) ?? reference;
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return arrayOf(typeOf(schema.items ?? {}, names));
    case "object":
      return schema.additionalProperties
        ? `Record<string, ${typeOf(schema.additionalProperties, names)}>`
        : "JsonObject";
    default:
      return "Json";
  }
}

const arrayOf = (item: string): string => (item.includes("|") ? `(${item})[]` : `${item}[]`);

/** `Kind` constants' rows: the five things a client must know to call the API. */
export function emitKindRows(
  definitions: Definitions,
  rows: readonly ResourceRow[],
  names: ReadonlyMap<string, string>,
): string {
  const lines = [`import type { Kind } from "../kind.ts";`, `import type * as api from "./api.ts";\n`];
  for (const row of rows) {
    const name = names.get(definitionOf(definitions, row)) ?? row.kind;
    const namespaced = row.scope === "Namespaced";
    const { group, version, kind } = row;
    lines.push(`export type ${name} = api.${name};`);
    lines.push(
      `export const ${name}: Kind<${name}> = ${JSON.stringify({ group, version, kind, plural: row.resource, namespaced })};`,
    );
  }
  return `${lines.join("\n")}\n`;
}
