import type { Choice, ChoiceCandidate } from "@trivium/domain";

const columnNames = ["Check", "Required", "Actual", "To use it"] as const;
export type CandidateColumn = (typeof columnNames)[number];

export interface CandidateRow {
  readonly name: string;
  readonly result: ChoiceCandidate["is"];
  /** One for each check that it failed, or for the rank that it lost; one that is empty where there is none. */
  readonly checks: readonly Readonly<Partial<Record<CandidateColumn, string>>>[];
}

export interface CandidateTable {
  /** Those in which any candidate has something. */
  readonly columns: readonly CandidateColumn[];
  readonly rows: readonly CandidateRow[];
}

const order = ["chosen", "outranked", "rejected"];

/** Every way to run a service that was considered, what was selected first. */
export function candidateTable({ candidates }: Pick<Choice, "candidates">): CandidateTable {
  const rows = candidates.toSorted((a, b) => order.indexOf(a.is) - order.indexOf(b.is)).map(rowOf);
  const columns = columnNames.filter((name) => rows.some(({ checks }) => checks.some((one) => Boolean(one[name]))));
  return { columns, rows };
}

function rowOf({ name, is, failed, lost, change }: ChoiceCandidate): CandidateRow {
  const checks = [
    ...failed.map(({ gate, required, actual }) => ({ Check: gate, Required: required, Actual: actual })),
    ...(lost === undefined ? [] : [{ Check: lost.rank, Required: lost.best, Actual: lost.actual }]),
  ];
  const [first = {}, ...rest] = checks;
  return {
    name,
    result: is,
    checks: [{ ...first, ...(change === undefined ? {} : { "To use it": change }) }, ...rest],
  };
}
