import type { Choice, ChoiceCandidate } from "@trivium/domain";

/** Where an API has no field for the choice, an annotation of the status has it as JSON. */
export const choiceAnnotation = "trivium.dev/selection";

/** A status with hundreds of candidates would be written and sent for each of them; `explain` lists all. */
const maxCandidates = 30;

/** The choice as JSON: candidates with the fewest failed checks first, and how many are left out. */
export function formatChoice({ of, chosen, because, candidates }: Choice): string {
  const shown = [...candidates].sort(byNearness).slice(0, maxCandidates);
  const omitted = candidates.length - shown.length;
  const left = omitted === 0 ? undefined : omitted;
  return JSON.stringify({ because, candidates: shown.map(inOrder), chosen, of, omitted: left });
}

/** A field that is added to a candidate is missed by the compiler here. */
type Complete<T> = { [K in keyof Required<T>]: T[K] };

/** Keys by the alphabet, so that equal choices have equal texts. Every pass writes the text, so nothing is sorted for it. */
function inOrder({ change, failed, is, lost, name, scope }: ChoiceCandidate): Complete<ChoiceCandidate> {
  const checks = failed.map(({ actual, gate, reason, required }) => ({ actual, gate, reason, required }));
  const outranked = lost && { actual: lost.actual, best: lost.best, rank: lost.rank };
  return { change, failed: checks, is, lost: outranked, name, scope };
}

function byNearness(a: ChoiceCandidate, b: ChoiceCandidate): number {
  const chosen = Number(b.is === "chosen") - Number(a.is === "chosen");
  return chosen || a.failed.length - b.failed.length || (a.name < b.name ? -1 : Number(a.name > b.name));
}
