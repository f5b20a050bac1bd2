/** Which of several ways to serve a model was chosen, and what kept every other one from it. */
export interface Choice {
  /** What is chosen, as people name it: `AIMServiceTemplate`, `runtime`. */
  readonly of: string;
  readonly chosen?: string | undefined;
  /** Why, as the end of a sentence: `the only compatible of 12`. */
  readonly because: string;
  readonly candidates: readonly ChoiceCandidate[];
}

export interface ChoiceCandidate {
  readonly name: string;
  readonly scope?: string | undefined;
  /** `rejected` failed a check; `outranked` passed all of them, and another one is better. */
  readonly is: "chosen" | "rejected" | "outranked";
  readonly failed: readonly FailedCheck[];
  readonly lost?: { readonly rank: string; readonly actual: string; readonly best: string } | undefined;
  /** The smallest change that would make it pass, as an instruction; nothing where a user cannot change it. */
  readonly change?: string | undefined;
}

/** A check that a candidate failed, with the value that it has and the value that would pass. */
export interface FailedCheck {
  readonly gate: string;
  readonly reason: string;
  readonly actual: string;
  readonly required: string;
}
