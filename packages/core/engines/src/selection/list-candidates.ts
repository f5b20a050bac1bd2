import type { Choice, ChoiceCandidate } from "@trivium/domain";
import { explainLoss } from "./explain.ts";

/** A line for each candidate, the chosen one first: why it was chosen, or what keeps it from it and what would change that. */
export function listCandidates({ candidates, because }: Choice): string[] {
  const chosen = candidates.filter(({ is }) => is === "chosen");
  const others = candidates.filter(({ is }) => is !== "chosen");
  const width = Math.max(...candidates.map(({ is }) => is.length));
  return [...chosen, ...others].map(
    (one) => `${one.is.padEnd(width)}  ${one.name}: ${one.is === "chosen" ? because : lossOf(one)}`,
  );
}

function lossOf({ failed, lost, change }: ChoiceCandidate): string {
  const loss = explainLoss({ failures: failed, ...(lost === undefined ? {} : { lost }) }) ?? "equally suitable";
  return change === undefined ? loss : `${loss}; to use it, ${change}`;
}
