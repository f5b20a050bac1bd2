import type { LedgerEntry } from "@trivium/engines";

const headings: Readonly<Record<LedgerEntry["outcome"], string>> = {
  carried: "Carried over",
  approximated: "Approximated",
  restored: "Restored from an annotation that an earlier conversion wrote; check these values if the file is not yours",
  kept: "Kept in an annotation, without effect until the service is converted back",
  none: "No counterpart",
};

/** The account of a conversion: one line a field, by what became of it. */
export function formatLedger(ledger: readonly LedgerEntry[]): string {
  const outcomes = Object.keys(headings) as LedgerEntry["outcome"][];
  return outcomes
    .map((outcome) => [headings[outcome], ledger.filter((entry) => entry.outcome === outcome)] as const)
    .filter(([, entries]) => entries.length > 0)
    .map(([heading, entries]) => `${heading} (${entries.length})\n${entries.map(formatEntry).join("")}`)
    .join("");
}

function formatEntry({ outcome, object, namespace, field, at, note }: LedgerEntry): string {
  const named = namespace === undefined ? object : object.replace(" ", ` ${namespace}/`);
  const where = outcome === "kept" || at === undefined ? "" : ` -> ${at}`;
  return `  ${named}${field === undefined ? "" : ` ${field}`}${where}${note === undefined ? "" : `: ${note}`}\n`;
}
