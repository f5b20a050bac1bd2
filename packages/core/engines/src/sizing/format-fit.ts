import type { MemoryFit, MemoryShare } from "@trivium/domain";
import { formatMemory } from "./summarize-memory.ts";

/** The sum in one line, each place with its terms; where it does not fit, what would. */
export function formatFit(fit: MemoryFit): string {
  if (fit.impossible !== undefined) return fit.impossible;
  const sum = formatSum(fit);
  if (fit.fits === "no") return `${sum}; ${formatAlternatives(fit)}`;
  if (fit.fits !== "partly") return sum;
  return `${sum}. ${fit.deviceLayers} layers run on the GPU and the rest on the CPU; to run all layers on the GPU, ${formatAlternatives(fit)}`;
}

/** What it needs, each place with its terms. */
export const formatSum = ({ shares }: Pick<MemoryFit, "shares">): string =>
  `Needs ${shares.map(formatShare).join(" and ")}`;

/** What to do, as an instruction. */
export function formatAlternatives({ alternatives }: Pick<MemoryFit, "alternatives">): string {
  const ways = alternatives.map(({ text }) => text);
  return ways.length === 0 ? "use a smaller model or more memory" : `use ${anyOf(ways)}`;
}

const anyOf = (ways: readonly string[]): string =>
  ways.length < 3 ? ways.join(" or ") : `${ways.slice(0, -1).join(", ")}, or ${ways.at(-1)}`;

function formatShare({ place, times, terms, bytes, available }: MemoryShare): string {
  const where = place === "host" ? "of memory" : times === 1 ? "of GPU memory" : `of memory on each of ${times} GPUs`;
  const of = available === undefined ? "" : `, ${formatMemory(available)} available`;
  const parts = terms.map((term) => `${term.what} ${formatMemory(term.bytes)}`).join(" + ");
  return `${formatMemory(bytes)} ${where}${of} (${parts})`;
}
