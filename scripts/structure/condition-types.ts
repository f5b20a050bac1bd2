import { globSync, readFileSync } from "node:fs";

/** The condition types that the dialects declare in their vocabularies. */
export function conditionTypes(root = "."): string[] {
  const files = globSync("packages/dialects/*/src/{reasons.ts,reasons/*.ts}", { cwd: root });
  return [...new Set(files.flatMap((file) => typesIn(readFileSync(`${root}/${file}`, "utf8"))))].sort();
}

/** Keys one level inside `conditions: {`. */
export function typesIn(text: string): string[] {
  return [...text.matchAll(/^ {2}conditions: \{\n([\s\S]*?)^ {2}\}/gm)].flatMap(([, body = ""]) =>
    [...body.matchAll(/^ {4}(\w+):/gm)].map(([, type = ""]) => type),
  );
}
