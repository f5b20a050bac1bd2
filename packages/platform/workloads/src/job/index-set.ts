/** Completion indexes as they stand in a status: `1,3-5`. */

/** Indexes at or above the number of completions do not count any more; what cannot be read is left out. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) continue;
    const first = Number(match[1]);
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = first; index <= last; index += 1) indexes.add(index);
  }
  return indexes;
}

/** Three or more in a row become a range, two stay two. */
export function formatIndexes(indexes: Iterable<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] as number) + 1) end += 1;
    const [first, last] = [sorted[i] as number, sorted[end] as number];
    if (end === i) parts.push(`${first}`);
    else parts.push(end === i + 1 ? `${first},${last}` : `${first}-${last}`);
    i = end + 1;
  }
  return parts.join(",");
}
