/**
 * Breaks decisions on purpose, one at a time in a copy of the packages, and runs the cases: each must fail at least one.
 *
 *   node scripts/mutate-decisions.ts [word of a row or a package]…
 */
import { styleText } from "node:util";
import { type Mutation, mutations } from "./mutation/mutations.ts";
import { runCases } from "./mutation/run-cases.ts";
import { applyMutation, copyWorkspace } from "./mutation/workspace.ts";

const dialects = ["dialects/llmkube", "dialects/aim", "dialects/ome"];

export interface Outcome {
  readonly what: string;
  readonly place: string;
  readonly result: "caught" | "missed" | "stale" | "broken";
  readonly by: string;
}

function tryMutation(root: string, mutation: Mutation): Outcome {
  const { what, package: folder } = mutation;
  const applied = applyMutation(root, mutation);
  if (applied.is === "stale") return { what, place: folder, result: "stale", by: `not found: ${mutation.find}` };
  try {
    const { failed, broken } = runCases(root, folder.startsWith("dialects/") ? [folder] : dialects);
    const [first, ...more] = failed;
    const by = first === undefined ? (broken ?? "") : `${first}${more.length === 0 ? "" : ` and ${more.length} more`}`;
    const result = first !== undefined ? "caught" : broken === undefined ? "missed" : "broken";
    return { what, place: applied.path, result, by };
  } finally {
    applied.restore();
  }
}

export const formatOutcome = ({ what, place, result, by }: Outcome): string =>
  `| ${what} | ${place} | ${result} | ${by} |`;

function main(words: readonly string[]): number {
  const isWanted = (row: Mutation) =>
    words.length === 0 || words.some((word) => `${row.package} ${row.what}`.includes(word));
  using copy = copyWorkspace(process.cwd());
  const healthy = runCases(copy.root, dialects);
  if (healthy.failed.length > 0 || healthy.broken !== undefined) {
    console.error(`The cases fail without a mutation: ${healthy.broken ?? healthy.failed.join(", ")}`);
    return 1;
  }
  console.log("| broken decision | in | result | by the case |\n|---|---|---|---|");
  const outcomes = mutations.filter(isWanted).map((mutation) => {
    const outcome = tryMutation(copy.root, mutation);
    console.log(formatOutcome(outcome));
    return outcome;
  });
  const caught = outcomes.filter(({ result }) => result === "caught").length;
  const summary = `${caught} of ${outcomes.length} broken decisions fail a case`;
  console.log(`\n${styleText(caught === outcomes.length ? "green" : "red", summary)}`);
  return caught === outcomes.length ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2));
