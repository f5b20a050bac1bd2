/** A regular expression in Go's dialect (RE2), as a tree. */
export type Node =
  | { readonly is: "empty" }
  /** One character out of inclusive ranges of code points: `[from, to, from, to, …]`, sorted and apart. */
  | { readonly is: "class"; readonly ranges: readonly number[] }
  | { readonly is: "sequence"; readonly parts: readonly Node[] }
  | { readonly is: "choice"; readonly options: readonly Node[] }
  | { readonly is: "repeat"; readonly of: Node; readonly min: number; readonly max: number; readonly isLazy: boolean }
  | { readonly is: "assert"; readonly at: Assertion };

export type Assertion = "textStart" | "textEnd" | "lineStart" | "lineEnd" | "wordBoundary" | "notWordBoundary";

export const lastCodePoint = 0x10ffff;

/** A pattern that Go would refuse; the message is Go's. */
export class RegexError extends Error {
  constructor(problem: string, part: string) {
    super(`error parsing regexp: ${problem}: \`${part}\``);
    this.name = "RegexError";
  }
}
