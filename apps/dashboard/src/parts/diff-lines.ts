export interface DiffLine {
  readonly is: "same" | "added" | "removed";
  readonly text: string;
}

/** The lines of two texts in one list: what is only in the first is removed, what is only in the second is added. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const start = commonStart(a, b);
  const [restA, restB] = [a.slice(start), b.slice(start)];
  const end = commonStart(restA.toReversed(), restB.toReversed());
  const middle = compare(restA.slice(0, restA.length - end), restB.slice(0, restB.length - end));
  return [...marked("same", a.slice(0, start)), ...middle, ...marked("same", a.slice(a.length - end))];
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const first = a.findIndex((line, at) => line !== b[at]);
  return first === -1 ? a.length : first;
}

const marked = (is: DiffLine["is"], lines: readonly string[]): DiffLine[] => lines.map((text) => ({ is, text }));

/** Pairs of lines that are compared at most: beyond it a page would stand still, or run out of memory. */
const mostPairs = 4_000_000;

function compare(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > mostPairs) return [...marked("removed", a), ...marked("added", b)];
  const lengths = commonLengths(a, b);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, two] = [a[i], b[j]];
    if (i < a.length && j < b.length && one === two) {
      lines.push({ is: "same", text: one ?? "" });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      lines.push({ is: "removed", text: one ?? "" });
      i += 1;
    } else {
      lines.push({ is: "added", text: two ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** Length of the longest common part of the rests of both, from each pair of lines. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const [row, next] = [lengths[i] ?? [], lengths[i + 1] ?? []];
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  return lengths;
}

/** Only lines near a change. */
export function nearChanges(lines: readonly DiffLine[], around = 3): DiffLine[] {
  return lines.filter((_, at) =>
    lines.slice(Math.max(0, at - around), at + around + 1).some(({ is }) => is !== "same"),
  );
}
