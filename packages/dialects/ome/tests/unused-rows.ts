import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

interface Row {
  readonly kind: string;
  readonly field: string;
}

const page = readFileSync(join(import.meta.dirname, "../../../../docs/reference/dialects/ome.md"), "utf8");
const [, section = ""] = page.split("\n## Without effect\n");
const rows: Row[] = [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)].map(
  ([, kind = "", field = ""]) => ({ kind, field }),
);
/** What the page of this dialect lists as without effect. */
export const rowsOf = (kind: string, part: "spec" | "status" | "reason"): string[] =>
  rows.filter((row) => row.kind === kind && row.field.startsWith(part)).map(({ field }) => field);

/** A row says it for all that lies below. */
export function compareRows(unused: readonly string[], listed: readonly string[]): void {
  const isBelow = (field: string, row: string): boolean =>
    field === row || field.startsWith(`${row}.`) || field.startsWith(`${row}[]`);
  assert.deepEqual(
    unused.filter((field) => !listed.some((row) => isBelow(field, row))),
    [],
    "without effect, and without a row in the table of docs/reference/dialects/ome.md",
  );
  assert.deepEqual(
    listed.filter((row) => !unused.some((field) => isBelow(field, row))),
    [],
    "in the table of docs/reference/dialects/ome.md, and not without effect",
  );
}
