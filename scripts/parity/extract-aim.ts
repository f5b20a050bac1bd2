/**
 * Reads the fields of AIM out of the user's documents: the tables of its API reference, and the sample manifests and
 * field tables of the two concept pages.
 *
 *   node scripts/parity/extract-aim.ts --from <folder>
 */
import { aimSamples } from "./aim-samples.ts";
import { outsideType, plainType } from "./document-types.ts";
import type { Facts, FieldFact, TypeFact } from "./facts.ts";
import { findDocument, writeFacts } from "./write-facts.ts";

export function extractAim(documents: readonly string[]): Facts {
  const reference = findDocument(documents, "- [aim.silogen.ai/v1alpha1](#aimsilogenaiv1alpha1)");
  const sections = reference
    .split(/^#### /m)
    .slice(1)
    .map(readSection);
  const named = new Map(
    sections.map(({ name, alias }): [string, FieldFact] => [name, alias ?? { type: "object", own: [name] }]),
  );
  const types = Object.fromEntries(sections.map((each) => [each.name, typeFact(each, named)]));
  const kinds = sections.filter(({ rows }) => rows.some(({ name }) => name === "spec")).map(({ name }) => name);
  return {
    speaksOf: ["default", "enum", "pattern", "bounds"],
    kinds: Object.fromEntries(kinds.map((name) => [name, { type: "object", own: [name] }])),
    types,
    samples: aimSamples(documents),
  };
}

/** What a name in the reference stands for. */
type Named = ReadonlyMap<string, FieldFact>;

interface Row {
  readonly name: string;
  readonly type: string;
  readonly default: string;
  readonly validation: string;
}
interface Section {
  readonly name: string;
  readonly rows: readonly Row[];
  /** Set for a type that is another name of a plain one. */
  readonly alias: FieldFact | undefined;
}

const rowPattern = /^\| `(\w+)` _(.+?)_ \|.*\|$/gm;

function readSection(text: string): Section {
  const name = text.slice(0, text.indexOf("\n")).trim();
  const rows = [...text.matchAll(rowPattern)].map((match) => {
    const [, , , standard = "", validation = ""] = cellsOf(match[0]);
    return { name: match[1]!, type: match[2]!, default: standard, validation };
  });
  return { name, rows, alias: readAlias(text) };
}

/** Cells of a row of a Markdown table, where `\|` is a bar inside a cell. */
function cellsOf(line: string): string[] {
  return line.split(/(?<!\\)\|/).map((cell) => cell.replaceAll("\\|", "|").trim());
}

function readAlias(text: string): FieldFact | undefined {
  const underlying = /^_Underlying type:_ _(\w+)_$/m.exec(text)?.[1];
  if (underlying === undefined) return undefined;
  const stated = /^- (Enum: \[.*\])$/m.exec(text)?.[1];
  const constants = [...text.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]!);
  const base = plainType(underlying)!;
  if (stated !== undefined) return { ...base, ...readValidation(stated) };
  return constants.length > 0 ? { ...base, enum: constants } : base;
}

/** The head that every object of the API has says nothing of the dialect. */
const isHead = ({ name, type }: Row): boolean =>
  ((name === "apiVersion" || name === "kind") && type === "string") || /^\[(Object|List)Meta\]/.test(type);

function typeFact(section: Section, named: Named): TypeFact {
  const fields: Record<string, FieldFact> = {};
  for (const row of section.rows.filter((each) => !isHead(each))) {
    const fact = rowFact(row, named);
    const earlier = fields[row.name];
    // The reference lists one name twice where two types put their fields into one object.
    fields[row.name] = earlier?.own === undefined ? fact : { ...earlier, own: [...earlier.own, ...(fact.own ?? [])] };
  }
  return { fields };
}

function rowFact(row: Row, named: Named): FieldFact {
  const rules = readValidation(row.validation);
  const base = readType(row.type, named);
  // An enum on a field wins over the one of its type.
  const fact: FieldFact = { ...base, ...rules };
  return row.default === "" ? fact : { ...fact, default: readDefault(row.default, fact) };
}

function readType(text: string, named: Named): FieldFact {
  const array = /^(.*) array$/.exec(text);
  if (array !== null) return { type: "array", of: readType(array[1]!, named) };
  const map = /^object \(keys:string, values:(.*)\)$/.exec(text);
  if (map !== null) return { type: "map", of: readType(map[1]!, named) };
  const link = /^\[(\w+)\]\(.*\)$/.exec(text);
  if (link === null) return plainType(text) ?? raise(`unknown type ${text}`);
  // A few links lead nowhere: the type is of another API, and the page does not describe it.
  return named.get(link[1]!) ?? outsideType(link[1]!);
}

function readValidation(text: string): Partial<FieldFact> {
  const bounds: Record<string, number> = {};
  const found: { enum?: string[]; pattern?: string; bounds?: Record<string, number> } = {};
  for (const part of text.split(/<br \/>/).map((each) => each.trim())) {
    const [, word = "", value = ""] = /^(\w+): (.*)$/.exec(part) ?? [];
    if (word === "Enum") found.enum = value.slice(1, -1).split(" ");
    if (word === "Pattern") found.pattern = value.replace(/^`|`$/g, "");
    if (/^M(in|ax)/.test(word)) bounds[word[0]!.toLowerCase() + word.slice(1)] = Number(value);
  }
  return Object.keys(bounds).length === 0 ? found : { ...found, bounds };
}

function readDefault(text: string, fact: FieldFact): unknown {
  if (fact.type === "array") return text.slice(1, -1).split(" ");
  if (fact.type === "integer" || fact.type === "number") return Number(text);
  if (fact.type === "boolean") return text === "true";
  return text;
}

function raise(message: string): never {
  throw new Error(message);
}

if (import.meta.main) writeFacts("aim", extractAim);
