import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Difference } from "./compare.ts";

/** Differences on purpose that can show in any answer. Each speaks for a row of docs/embedded-api.md. */
interface Rule {
  readonly row: string;
  covers(difference: Omit<Difference, "row">): boolean;
}

const rules: readonly Rule[] = [
  {
    row: "list-item-kind",
    covers: ({ at, real }) => /^(body|events\[\d+\]\.object)\.items\[\d+\]\.(apiVersion|kind)$/.test(at) && real === undefined,
  },
];

export function rowFor(difference: Omit<Difference, "row">): string | undefined {
  return rules.find((rule) => rule.covers(difference))?.row;
}

const page = join(import.meta.dirname, "../../../../../docs/embedded-api.md");

/** The ids in the first column of the table. */
export function readRows(): string[] {
  const lines = readFileSync(page, "utf8").split("\n");
  return lines.flatMap((line) => /^\| `([a-z-]+)` \|/.exec(line)?.[1] ?? []);
}
