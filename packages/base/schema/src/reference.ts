import type { Rule, Schema } from "./schema.ts";

/** What a reference page says of a kind; every definition of a kind has this shape. */
export interface ReferenceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string } | undefined;
  readonly columns: readonly ReferenceColumn[];
  readonly schema: Schema;
}
interface ReferenceColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A type that is described elsewhere: it is named and linked, and its fields are not repeated. */
export interface LinkedType {
  readonly name: string;
  readonly link: string;
}
export type FindLinkedType = (schema: Schema) => LinkedType | undefined;

/** The reference page of one kind, in Markdown: its names, its columns, and every field with type, default and rules. */
export function emitReferencePage(kind: ReferenceKind, findLinkedType: FindLinkedType = () => undefined): string {
  const fields = Object.entries(kind.schema.properties ?? {}).filter(([name]) => name === "spec" || name === "status");
  const sections = [
    `# ${kind.kind}`,
    kind.schema.description ?? "",
    emitNames(kind),
    ...emitColumns(kind.columns),
    ...emitRules(kind.schema["x-kubernetes-validations"] ?? []),
    ...fields.map(([name, schema]) => emitFields(name, schema, findLinkedType)),
  ];
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function emitNames(kind: ReferenceKind): string {
  const names = [kind.plural, kind.singular, ...kind.shortNames].map(code);
  const subresources = [
    ...(kind.hasStatus ? ["`status`"] : []),
    ...(kind.scale ? [`\`scale\` (${code(kind.scale.specReplicasPath)}, ${code(kind.scale.statusReplicasPath)})`] : []),
  ];
  return table(
    ["", ""],
    [
      ["API version", code(`${kind.group}/${kind.version}`)],
      ["Names for `kubectl`", names.join(", ")],
      ["Scope", kind.namespaced ? "one namespace" : "the whole cluster"],
      ...(kind.categories.length > 0 ? [["Categories", kind.categories.map(code).join(", ")]] : []),
      ...(subresources.length > 0 ? [["Subresources", subresources.join(", ")]] : []),
    ],
  );
}

function emitColumns(columns: readonly ReferenceColumn[]): string[] {
  if (columns.length === 0) return [];
  const rows = columns.map(({ name, jsonPath, priority = 0 }) => [
    name,
    code(jsonPath),
    priority === 0 ? "always" : "with `-o wide`",
  ]);
  return ["## Columns of `kubectl get`", table(["Column", "Value", "Shown"], rows)];
}

function emitRules(rules: readonly Rule[]): string[] {
  return rules.length === 0 ? [] : ["## Rules", rules.map((rule) => `- ${ruleText(rule)}`).join("\n")];
}

function emitFields(name: string, schema: Schema, findLinkedType: FindLinkedType): string {
  const rows = fieldRows(name, schema, findLinkedType);
  const own = rulesOf({ ...schema, nullable: false });
  return [
    `## ${name}`,
    schema.description ?? "",
    own.length === 0 ? "" : own.map((rule) => `- ${rule}`).join("\n"),
    rows.length === 0 ? "" : table(["Field", "Type", "Default", "Rules", "Meaning"], rows),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

function fieldRows(path: string, schema: Schema, findLinkedType: FindLinkedType): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}.${name}`;
    const rules = [...(schema.required?.includes(name) ? ["required"] : []), ...rulesOf(field)];
    const standard = field.default === undefined ? "" : code(JSON.stringify(field.default));
    const row = [code(here), typeText(field, findLinkedType), standard, rules.join("; "), field.description ?? ""];
    return [row, ...insideRows(here, field, findLinkedType)];
  });
}

/** Rows of what lies inside a field, unless it is described elsewhere. */
function insideRows(path: string, field: Schema, findLinkedType: FindLinkedType): string[][] {
  if (findLinkedType(field) !== undefined) return [];
  if (field.items !== undefined) return insideRows(`${path}[]`, field.items, findLinkedType);
  if (typeof field.additionalProperties === "object") {
    return insideRows(`${path}.*`, field.additionalProperties, findLinkedType);
  }
  return fieldRows(path, field, findLinkedType);
}

function typeText(schema: Schema, findLinkedType: FindLinkedType): string {
  const linked = findLinkedType(schema);
  if (linked !== undefined) return `[${linked.name}](${linked.link})`;
  if (schema["x-kubernetes-int-or-string"]) return schema.pattern === undefined ? "integer or string" : "quantity";
  if (schema.items !== undefined) return `list of ${typeText(schema.items, findLinkedType)}`;
  if (typeof schema.additionalProperties === "object") {
    return `map of ${typeText(schema.additionalProperties, findLinkedType)}`;
  }
  if (schema.type === undefined) return "any value";
  if (schema.type === "object" && schema["x-kubernetes-preserve-unknown-fields"]) return "any object";
  if (schema.format === "date-time") return "time";
  return schema.type;
}

/** Everything that limits the values of a field, each in a few words. */
function rulesOf(schema: Schema): string[] {
  const isQuantity = schema["x-kubernetes-int-or-string"] === true;
  return [
    ...(schema.enum === undefined ? [] : [`one of ${schema.enum.map((value) => code(String(value))).join(", ")}`]),
    ...(schema.pattern === undefined || isQuantity ? [] : [`matches ${code(schema.pattern)}`]),
    ...rangeText("", schema.minimum, schema.maximum),
    ...rangeText(" characters", schema.minLength, schema.maxLength),
    ...rangeText(" entries", schema.minItems, schema.maxItems),
    // An API server holds null against an enum even where the type allows it.
    ...(schema.nullable && schema.enum === undefined ? ["may be null"] : []),
    ...(schema["x-kubernetes-list-map-keys"]?.map((key) => `entries have unique ${code(key)}`) ?? []),
    ...(schema["x-kubernetes-validations"] ?? []).map(ruleText),
    ...(schema.items === undefined ? [] : rulesOf({ ...schema.items, nullable: false }).map((rule) => `each: ${rule}`)),
  ];
}

function rangeText(unit: string, least: number | undefined, most: number | undefined): string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

const ruleText = (rule: Rule): string => rule.message ?? code(rule.rule);

const code = (text: string): string => `\`${text}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}

const cell = (text: string): string => text.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
