import type { Json } from "@trivium/std";
import { parseDocument, type Tags } from "yaml";

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
};

export function parseYaml(text: string, fail: (message: string) => Error): { value: Json; duplicates: string[] } {
  const refuse = (message: string) => fail(`error converting YAML to JSON: yaml: ${firstLine(message)}`);
  try {
    const document = parseDocument(text, { ...options, uniqueKeys: true, prettyErrors: true });
    const broken = document.errors.find((error) => error.code !== "DUPLICATE_KEY");
    if (broken !== undefined) throw broken;
    const duplicates = document.errors.map(
      ({ linePos, pos }) => `line ${linePos?.[0].line ?? 0}: key ${keyAt(text, pos[0])} already set in map`,
    );
    return { value: (document.toJS({ maxAliasCount: 100 }) ?? null) as Json, duplicates };
  } catch (error) {
    // Nesting that is too deep for the parser ends in a RangeError.
    throw refuse(
      error instanceof RangeError ? "exceeded max depth" : error instanceof Error ? error.message : String(error),
    );
  }
}

/** The key that begins at a place of the text, quoted. */
function keyAt(text: string, start: number): string {
  const key = /^(["']?)(.*?)\1\s*:/.exec(text.slice(start, start + 300))?.[2] ?? "";
  return JSON.stringify(key);
}

const firstLine = (message: string): string => message.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
