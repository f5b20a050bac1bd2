import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import type { Facts, FieldFact } from "./facts.ts";

/** The command line of every extractor: `--from <folder of documents>`; writes `packages/dialects/<name>/parity/fields.json`. */
export function writeFacts(dialect: string, extract: (documents: readonly string[]) => Facts): void {
  const { values } = parseArgs({ options: { from: { type: "string" } } });
  if (values.from === undefined) throw new Error("say where the documents are: --from <folder>");
  const folder = values.from;
  const documents = readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"));
  const path = join(import.meta.dirname, "../../packages/dialects", dialect, "parity/fields.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, formatFacts(onlyReachable(extract(documents))));
  console.log(`wrote ${path}`);
}

/** The document that contains a text, or an error that says which is missing. */
export function findDocument(documents: readonly string[], marker: string): string {
  const found = documents.find((text) => text.includes(marker));
  if (found === undefined) throw new Error(`none of the documents contains ${JSON.stringify(marker)}`);
  return found;
}

/** Drops named types that no field of a kind leads to. */
export function onlyReachable(facts: Facts): Facts {
  const reached = new Set<string>();
  const visitType = (name: string): void => {
    if (reached.has(name)) return;
    reached.add(name);
    const type = facts.types[name];
    if (type === undefined) throw new Error(`no document describes the type ${name}`);
    for (const each of type.embeds ?? []) visitType(each);
    for (const each of Object.values(type.fields)) visitField(each);
  };
  const visitField = (field: FieldFact): void => {
    for (const name of field.own ?? []) visitType(name);
    for (const each of Object.values(field.fields ?? {})) visitField(each);
    if (field.of !== undefined) visitField(field.of);
  };
  for (const kind of Object.values(facts.kinds)) visitField(kind);
  const types = Object.entries(facts.types).filter(([name]) => reached.has(name));
  return { ...facts, types: Object.fromEntries(types) };
}

const lineWidth = 120;

/** JSON in the form that the formatter of the project leaves alone: what fits into a line is one line. */
export const formatFacts = (facts: Facts): string => formatJson(facts);

export function formatJson(value: object): string {
  return `${format(value, { indent: "", used: 0 })}\n`;
}

/** `used` is what stands in the line beside the value: its indent, its key, a comma. */
function format(value: unknown, { indent, used }: { indent: string; used: number }): string {
  const line = oneLine(value);
  if (used + line.length <= lineWidth || typeof value !== "object" || value === null) return line;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const items = value.map((each) => inner + format(each, { indent: inner, used: inner.length + 1 }));
    return `[\n${items.join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value).map(([key, each]) => {
    const head = `${inner}${JSON.stringify(key)}: `;
    return head + format(each, { indent: inner, used: head.length + 1 });
  });
  return `{\n${entries.join(",\n")}\n${indent}}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(", ")}]`;
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${oneLine(each)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
