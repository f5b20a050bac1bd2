/** How a dialect chooses one of several: tests that a candidate passes or not, then an order among those that pass. */
export interface SelectionRules<C> {
  /** What is chosen, as people name it: `AIMServiceTemplate`, `runtime`. */
  readonly of: string;
  /** What tells candidates apart; equal candidates are listed in the order of their names. */
  nameOf(candidate: C): string;
  /** What people see of it, where that is not the name above. */
  show?(candidate: C): { readonly name: string; readonly scope?: string | undefined };
  readonly gates: readonly Gate<C>[];
  /** The first on which two differ decides. */
  readonly ranks: readonly Rank<C>[];
  /** What happens to equally suitable ones: `ambiguous`, the default, chooses none; `first` takes the first by name. */
  readonly ties?: "ambiguous" | "first" | undefined;
  /** The name of the one in use. It stays as long as it passes every gate, whatever else has become available. */
  readonly current?: string | undefined;
}

export interface Gate<C> {
  readonly name: string;
  /** Nothing when the candidate passes. */
  check(candidate: C): Mismatch | undefined;
  /** What a user can do so that it passes: an instruction such as `set spec.template.allowUnoptimized: true`. */
  change?(candidate: C, mismatch: Mismatch): string | undefined;
}

/** What the candidate has, what would have passed, and the dialect's reason for it. */
export interface Mismatch {
  readonly reason: string;
  readonly actual: string;
  readonly required: string;
}

export type Rank<C> = WordRank<C> | NumberRank<C>;

export interface WordRank<C> {
  readonly name: string;
  /** Best first, in lower case. What is not in it comes after all that is. */
  readonly order: readonly string[];
  read(candidate: C): string | undefined;
}

export interface NumberRank<C> {
  readonly name: string;
  readonly best: "highest" | "lowest";
  value(candidate: C): number;
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
  /** Where it stands in each rank; lower is better. Empty where a gate failed. */
  readonly standing: readonly number[];
  /** The rank on which it lost to the best, with both values. */
  readonly lost?: Outranked;
}

export interface Outranked {
  readonly rank: string;
  readonly actual: string;
  readonly best: string;
}

export type Selection<C> =
  | {
      readonly is: "chosen";
      readonly best: Judged<C>;
      readonly judged: readonly Judged<C>[];
      /** The one in use stays although this one is better. */
      readonly better?: Judged<C> | undefined;
    }
  /** Several are equally good, so the choice is not clear. */
  | { readonly is: "tied"; readonly best: readonly Judged<C>[]; readonly judged: readonly Judged<C>[] }
  | { readonly is: "none"; readonly judged: readonly Judged<C>[] };
