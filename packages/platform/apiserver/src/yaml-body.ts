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
  const document = parseDocument(text, { ...options, uniqueKeys: true, prettyErrors: true });
  const duplicates = document.errors.filter((error) => error.code === "DUPLICATE_KEY");
  const broken = document.errors.find((error) => error.code !== "DUPLICATE_KEY");
  if (broken !== undefined) throw fail(`error converting YAML to JSON: yaml: ${firstLine(broken.message)}`);
  try {
    const value = document.toJS({ maxAliasCount: 100 }) as Json;
    return { value: value ?? null, duplicates: duplicates.map((error) => `line ${error.linePos?.[0].line ?? 0}`) };
  } catch (error) {
    throw fail(
      `error converting YAML to JSON: yaml: ${firstLine(error instanceof Error ? error.message : String(error))}`,
    );
  }
}

const firstLine = (message: string): string => message.split("\n", 1)[0]?.replace(/:$/, "") ?? "";
