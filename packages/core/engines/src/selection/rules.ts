/** How a dialect chooses one of several: tests that a candidate passes or not, then an order among those that pass. */
export interface SelectionRules<C> {
  /** What tells candidates apart; equal candidates are listed in the order of their names. */
  nameOf(candidate: C): string;
  readonly gates: readonly Gate<C>[];
  /** The first on which two differ decides. */
  readonly ranks: readonly Rank<C>[];
}

export interface Gate<C> {
  readonly name: string;
  /** Nothing when the candidate passes. */
  check(candidate: C): Mismatch | undefined;
}

/** What was seen, what would have passed, and the word of the dialect for it. */
export interface Mismatch {
  readonly reason: string;
  readonly observed: string;
  readonly wanted: string;
}

export interface Rank<C> {
  readonly name: string;
  /** Best first, in lower case. What is not in it comes after all that is. */
  readonly order: readonly string[];
  read(candidate: C): string | undefined;
}

export interface FailedGate extends Mismatch {
  readonly gate: string;
}

/** A candidate with all that was found about it. */
export interface Judged<C> {
  readonly candidate: C;
  readonly name: string;
  /** Every gate that it fails, not only the first. */
  readonly failures: readonly FailedGate[];
  /** Where it stands in each rank; lower is better. */
  readonly standing: readonly number[];
  /** The rank on which it lost to the best, with both values. */
  readonly lost?: Outranked;
}

export interface Outranked {
  readonly rank: string;
  readonly observed: string;
  readonly best: string;
}

export type Selection<C> =
  | { readonly is: "chosen"; readonly best: Judged<C>; readonly judged: readonly Judged<C>[] }
  /** Several are equally good: nobody can say which is meant. */
  | { readonly is: "tied"; readonly best: readonly Judged<C>[]; readonly judged: readonly Judged<C>[] }
  | { readonly is: "none"; readonly judged: readonly Judged<C>[] };
