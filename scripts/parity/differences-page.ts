import type { Difference } from "./difference.ts";
import { type Aspect, aspects } from "./facts.ts";

/** A deliberate difference: a row of the table under "Deliberate differences" in `docs/reference/dialects/<name>.md`. */
export interface DifferenceRow {
  /** `*` stands for every kind. */
  readonly kind: string;
  /** `*` stands for any part of one name, `**` for any part of the path. */
  readonly path: string;
  readonly what: Aspect;
  readonly line: string;
}

const heading = "## Deliberate differences";
const columns = ["Kind", "Field", "What", "The document", "Here", "Why"];

export function readDifferences(page: string): DifferenceRow[] {
  const start = page.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`the page has no section "${heading}"`);
  const section = page.slice(start + heading.length).split(/^## /m)[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const [titles, , ...rows] = lines;
  if (titles !== undefined && cellsOf(titles).join() !== columns.join()) {
    throw new Error(`the table of differences must have the columns ${columns.join(", ")}`);
  }
  return rows.map(readRow);
}

function readRow(line: string): DifferenceRow {
  const cells = cellsOf(line);
  const [kind = "", path = "", what = ""] = cells.map((cell) => cell.replace(/^`|`$/g, ""));
  if (cells.length !== columns.length || cells.some((cell) => cell === ""))
    throw new Error(`every cell must be filled: ${line}`);
  const aspect = aspects.find((each) => each === what);
  if (aspect === undefined) throw new Error(`"${what}" is not one of ${aspects.join(", ")}: ${line}`);
  return { kind, path, what: aspect, line };
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\||\|\s*$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

export function covers(row: DifferenceRow, difference: Difference): boolean {
  return (
    (row.kind === "*" || row.kind === difference.kind) &&
    row.what === difference.what &&
    patternOf(row.path).test(difference.path)
  );
}

function patternOf(path: string): RegExp {
  const parts = path.split(/(\*\*|\*)/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^.]*" : part.replace(/[.[\]{}]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}
