/**
 * Compares the kinds of a dialect with what the user's documents say of them. As a command it prints every difference,
 * and which of them the page of the dialect explains:
 *
 *   node scripts/with-toolchain.mjs parity/parity <dialect>
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect } from "@trivium/reconcile";
import { documented } from "../dialects.ts";
import { compareKind } from "./compare.ts";
import type { Difference } from "./difference.ts";
import { covers, type DifferenceRow, readDifferences } from "./differences-page.ts";
import type { Facts } from "./facts.ts";

export interface Parity {
  readonly unexplained: readonly Difference[];
  readonly explained: readonly Difference[];
  /** Rows that explain nothing: the difference is gone, or never was. */
  readonly needless: readonly DifferenceRow[];
}

export function measureParity(dialect: Dialect, facts: Facts, rows: readonly DifferenceRow[]): Parity {
  const differences = kindsOf(facts).flatMap((kind) => {
    const own = dialect.kinds.find((each) => each.kind === kind);
    return own === undefined ? [absentKind(kind)] : compareKind(facts, kind, own.schema);
  });
  const isExplained = (each: Difference): boolean => rows.some((row) => covers(row, each));
  return {
    unexplained: differences.filter((each) => !isExplained(each)),
    explained: differences.filter(isExplained),
    needless: rows.filter((row) => !differences.some((each) => covers(row, each))),
  };
}

const kindsOf = (facts: Facts): string[] => [
  ...new Set([...Object.keys(facts.kinds), ...Object.keys(facts.samples ?? {})]),
];

const absentKind = (kind: string): Difference => ({ kind, path: "", what: "missing", wanted: "a kind", found: "none" });

export const describe = ({ kind, path, what, wanted, found }: Difference): string =>
  `${kind} ${path === "" ? "(the whole kind)" : path}: ${what}: the document says ${wanted}, ours is ${found}`;

const root = join(import.meta.dirname, "../..");

export function readFacts(dialect: string): Facts {
  return JSON.parse(readFileSync(join(root, "packages/dialects", dialect, "parity/fields.json"), "utf8")) as Facts;
}

export function readRows(dialect: string): DifferenceRow[] {
  return readDifferences(readFileSync(join(root, "docs/reference/dialects", `${dialect}.md`), "utf8"));
}

if (import.meta.main) {
  const name = process.argv[2] ?? "";
  const dialect = documented.find((each) => each.name === name);
  if (dialect === undefined) throw new Error(`there is no dialect "${name}"`);
  const rows = existsSync(join(root, "docs/reference/dialects", `${name}.md`)) ? readRows(name) : [];
  const parity = measureParity(dialect, readFacts(name), rows);
  for (const each of parity.explained) console.log(`explained   ${describe(each)}`);
  for (const each of parity.needless) console.log(`needless    ${each.line}`);
  for (const each of parity.unexplained) console.log(`DIFFERENT   ${describe(each)}`);
  process.exitCode = parity.unexplained.length + parity.needless.length === 0 ? 0 : 1;
}
