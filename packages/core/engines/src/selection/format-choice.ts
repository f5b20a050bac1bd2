import type { Choice, ChoiceCandidate } from "@trivium/domain";
import { canonicalJson, type Json } from "@trivium/std";

/** Where an API has no field for the choice, an annotation of the status has it as JSON. */
export const choiceAnnotation = "trivium.dev/selection";

/** A status with hundreds of candidates would be written and sent for each of them; `explain` lists all. */
const maxCandidates = 30;

/** The choice as JSON: candidates with the fewest failed checks first, and how many are left out. */
export function formatChoice({ of, chosen, because, candidates }: Choice): string {
  const shown = [...candidates].sort(byNearness).slice(0, maxCandidates);
  const omitted = candidates.length - shown.length;
  const data = {
    of,
    ...(chosen === undefined ? {} : { chosen }),
    because,
    candidates: shown,
    ...(omitted === 0 ? {} : { omitted }),
  };
  return canonicalJson(data as unknown as Json);
}

function byNearness(a: ChoiceCandidate, b: ChoiceCandidate): number {
  const chosen = Number(b.is === "chosen") - Number(a.is === "chosen");
  return chosen || a.failed.length - b.failed.length || (a.name < b.name ? -1 : Number(a.name > b.name));
}
