/** The name that is fewest edits away, unless that is so many that it would be a guess. */
export function nearestName(name: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let distance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of names) {
    const edits = editsBetween(name, candidate, distance);
    if (edits >= distance) continue;
    best = candidate;
    distance = edits;
  }
  return best;
}

function editsBetween(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const swap = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
