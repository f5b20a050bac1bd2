/**
 * Reads the fields of OME out of the HTML tables of its API reference among the user's documents.
 *
 *   node scripts/parity/extract-ome.ts --from <folder>
 */
import { outsideType, plainType } from "./document-types.ts";
import type { Facts, FieldFact, TypeFact } from "./facts.ts";
import { findDocument, writeFacts } from "./write-facts.ts";

export function extractOme(documents: readonly string[]): Facts {
  const reference = findDocument(documents, "title: OME API");
  const sections = reference.split(/^## `/m).slice(1).map(readSection);
  const aliases = new Set(sections.filter(({ isText }) => isText).map(({ name }) => name));
  return {
    speaksOf: ["required"],
    kinds: Object.fromEntries(kindNames(reference).map((name) => [name, { type: "object", own: [name] }])),
    types: Object.fromEntries(sections.map((section) => [section.name, typeFact(section, aliases)])),
  };
}

/** The kinds, from the list at the top of the page. */
function kindNames(reference: string): string[] {
  const list = reference.slice(reference.indexOf("## Resource Types")).split(/^## `/m)[0]!;
  return [...list.matchAll(/^- \[(\w+)\]/gm)].map((match) => match[1]!);
}

interface Row {
  readonly name: string;
  readonly isRequired: boolean;
  readonly type: string;
  /** The row stands for the fields of another type, which are part of this one. */
  readonly isEmbedded: boolean;
}
interface Section {
  readonly name: string;
  readonly isText: boolean;
  readonly rows: readonly Row[];
}

const rowPattern =
  /<tr><td><code>(\w+)<\/code>( <B>\[Required\]<\/B>)?<br\/>\n([\s\S]*?)<\/td>\n<td>([\s\S]*?)<\/td>\n<\/tr>/g;

function readSection(text: string): Section {
  const name = text.slice(0, text.indexOf("`"));
  const rows = [...text.matchAll(rowPattern)].map((match) => ({
    name: match[1]!,
    isRequired: match[2] !== undefined,
    type: match[3]!.replace(/<[^>]*>/g, "").trim(),
    isEmbedded: match[4]!.includes("are embedded into this type"),
  }));
  return { name, isText: text.includes("(Alias of `string`)"), rows };
}

/** Fields of `Status` in Knative, which a type of the reference embeds without listing them. */
const knativeStatus: Readonly<Record<string, FieldFact>> = {
  observedGeneration: { type: "integer", format: "int64" },
  conditions: { type: "array", of: { type: "object" } },
  annotations: { type: "map", of: { type: "string" } },
};

function typeFact({ rows }: Section, aliases: ReadonlySet<string>): TypeFact {
  const fields: Record<string, FieldFact> = {};
  const embeds: string[] = [];
  const embedsK8s: string[] = [];
  for (const row of rows) {
    const fact = readType(row.type, aliases);
    if (!row.isEmbedded) fields[row.name] = { ...fact, ...(row.isRequired ? { required: true } : {}) };
    else if (fact.own !== undefined) embeds.push(...fact.own);
    else if (row.type.startsWith("knative.dev/")) Object.assign(fields, knativeStatus);
    else if (fact.k8s !== undefined) embedsK8s.push(fact.k8s);
  }
  return {
    ...(embeds.length > 0 ? { embeds } : {}),
    ...(embedsK8s.length > 0 ? { embedsK8s } : {}),
    fields,
  };
}

function readType(text: string, aliases: ReadonlySet<string>): FieldFact {
  if (text.startsWith("[]")) return { type: "array", of: readType(text.slice(2), aliases) };
  const map = /^map\[\w+\](.+)$/.exec(text);
  if (map !== null) return { type: "map", of: readType(map[1]!, aliases) };
  const known = plainType(text);
  if (known !== undefined) return known;
  if (aliases.has(text)) return { type: "string" };
  if (!text.includes("/")) return { type: "object", own: [text] };
  return outsideType(text.slice(text.lastIndexOf(".") + 1));
}

if (import.meta.main) writeFacts("ome", extractOme);
