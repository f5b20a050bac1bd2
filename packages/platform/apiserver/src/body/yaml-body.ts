import { append, type Json } from "@trivium/std";
import { type Document, isScalar, LineCounter, parseDocument, type Tags, visit, type YAMLMap } from "yaml";

/**
 * YAML as Kubernetes reads it: version 1.1 (`yes` is true, `0755` is octal), without its timestamps and base-60 numbers,
 * which stay text and numbers of the usual kind.
 */
const options = {
  version: "1.1" as const,
  schema: "yaml-1.1" as const,
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (tag) =>
        typeof tag === "string" ||
        (tag.tag !== "tag:yaml.org,2002:timestamp" && !("format" in tag && tag.format === "TIME")),
    ),
  // The parser compares each key with all before it; `duplicatesIn` does the same in one pass.
  uniqueKeys: false,
};

/**
 * Characters of a body that has to be read as YAML. Nobody else is served while it is: this many take a tenth of a second,
 * or two at the worst. Tools send JSON, even where they call it YAML, and that may be as long as any body.
 */
export const longestYaml = 128 * 1024;

export function parseYaml(text: string, fail: (message: string) => Error): { value: Json; duplicates: string[] } {
  const refuse = (message: string) => fail(`error converting YAML to JSON: yaml: ${firstLine(message)}`);
  try {
    const lines = new LineCounter();
    const document = parseDocument(text, { ...options, lineCounter: lines });
    const [broken] = document.errors;
    if (broken !== undefined) throw broken;
    const value = (document.toJS({ maxAliasCount: 100 }) ?? null) as Json;
    return { value, duplicates: duplicatesIn(document, lines) };
  } catch (error) {
    // Nesting that is too deep for the parser ends in a RangeError.
    throw refuse(
      error instanceof RangeError ? "exceeded max depth" : error instanceof Error ? error.message : String(error),
    );
  }
}

/** Keys that a map has twice, in the order of their lines. */
function duplicatesIn(document: Document.Parsed, lines: LineCounter): string[] {
  const found: { at: number; key: string }[] = [];
  visit(document, { Map: (_, map) => void append(found, repeatedKeys(map)) });
  return found
    .sort((a, b) => a.at - b.at)
    .map(({ at, key }) => `line ${lines.linePos(at).line}: key ${JSON.stringify(key)} already set in map`);
}

function repeatedKeys(map: YAMLMap): { at: number; key: string }[] {
  const seen = new Set<unknown>();
  return map.items.flatMap(({ key }) => {
    if (!isScalar(key) || key.value === "<<") return [];
    const isNew = !seen.has(key.value);
    seen.add(key.value);
    return isNew ? [] : [{ at: key.range?.[0] ?? 0, key: key.source ?? String(key.value) }];
  });
}

const firstLine = (message: string): string => message.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
