/** The candidate that a word was most likely meant to be. */
export const findNearest = (word: string, candidates: readonly string[]): string | undefined =>
  listNearest(word, candidates)[0];

/** Fewer letters begin too many words. */
const shortestStart = 2;

/**
 * The candidates that a word was most likely meant to be: those that begin with it, since people leave out the end of a word; else those
 * with the fewest other letters, at most a third of them.
 */
export function listNearest(word: string, candidates: readonly string[]): readonly string[] {
  const written = word.toLowerCase();
  const known = [...new Set(candidates)].toSorted((a, b) => a.localeCompare(b));
  const begun = known.filter((one) => written.length >= shortestStart && one.toLowerCase().startsWith(written));
  if (begun.length > 0) return begun;
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const ranked = known.map((candidate) => ({ candidate, distance: distanceOf(written, candidate.toLowerCase()) }));
  const best = Math.min(...ranked.map(({ distance }) => distance));
  return best > allowed ? [] : ranked.flatMap(({ candidate, distance }) => (distance === best ? [candidate] : []));
}

/** Letters to add, remove, replace or swap. */
function distanceOf(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
