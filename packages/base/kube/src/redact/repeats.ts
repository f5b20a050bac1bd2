/** What is shorter may be a word that has nothing to do with the credential. */
const shortest = 6;

/** Hides every place where one of the values is repeated: one pass over a text, however many values there are. */
export function hideRepeats(values: Iterable<string>, mark: string): (text: string) => string {
  const byStart = new Map<string, Set<string>>();
  for (const value of values) {
    const start = value.slice(0, shortest);
    if (start.length === shortest) byStart.set(start, (byStart.get(start) ?? new Set()).add(value));
  }
  const lengths = new Map([...byStart].map(([start, all]) => [start, lengthsOf(all)]));
  if (byStart.size === 0) return (text) => text;
  return (text) => {
    const parts: string[] = [];
    let done = 0;
    for (let at = 0; at + shortest <= text.length; at++) {
      const start = text.slice(at, at + shortest);
      const length = lengths.get(start)?.find((one) => byStart.get(start)?.has(text.slice(at, at + one)));
      if (length === undefined) continue;
      parts.push(text.slice(done, at), mark);
      done = at + length;
      at = done - 1;
    }
    return parts.join("") + text.slice(done);
  };
}

/** The longest first. */
const lengthsOf = (values: ReadonlySet<string>): readonly number[] =>
  [...new Set([...values].map(({ length }) => length))].sort((a, b) => b - a);
