/** Why weights cannot be fetched: the one reading of how a download ended. */
export type TransferFault =
  | "missing"
  | "unauthorized"
  | "corrupt"
  | "full"
  | "unreachable"
  | "untrusted"
  /** It was asked to stop. */
  | "stopped"
  | "failed";

/** Exit codes of `trivium-weights`. */
const byExitCode: Readonly<Record<number, TransferFault>> = {
  3: "missing",
  4: "unauthorized",
  5: "corrupt",
  6: "full",
  7: "unreachable",
  130: "stopped",
};

/** What other programs that fetch say; the first that matches. */
const byWords: readonly (readonly [RegExp, TransferFault])[] = [
  [/certificate|self.signed|\btls\b|\bssl\b/i, "untrusted"],
  [/no space|ENOSPC|quota exceeded/i, "full"],
  [
    /\b40[13]\b|unauthorized|forbidden|gated|invalid.{0,10}token|SignatureDoesNotMatch|InvalidAccessKeyId/i,
    "unauthorized",
  ],
  [/\b404\b|not found|NoSuchKey|NoSuchBucket/i, "missing"],
  [/resolve|refused|timed? ?out|unreachable|ECONN/i, "unreachable"],
];

/** A certificate that is not trusted ends as a source that is not reached, and only its words tell. */
export function classifyTransfer(exitCode: number | undefined, words: string): TransferFault {
  if (byWords[0]?.[0].test(words) === true && byExitCode[exitCode ?? -1] !== "corrupt") return "untrusted";
  return byExitCode[exitCode ?? -1] ?? byWords.find(([pattern]) => pattern.test(words))?.[1] ?? "failed";
}
