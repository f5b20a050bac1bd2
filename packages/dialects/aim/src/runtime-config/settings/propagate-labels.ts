import type { Settings } from "./merge-settings.ts";

type Labels = Readonly<Record<string, string>>;

/** The labels of a child with those that its parent hands down. What the child has stays as it is. */
export function propagateLabels(
  { labelPropagation }: Settings,
  parent: Labels | undefined,
  child: Labels = {},
): Record<string, string> {
  const patterns = labelPropagation?.enabled === true ? (labelPropagation.match ?? []) : [];
  const handed = Object.entries(parent ?? {}).filter(([key]) => patterns.some((pattern) => matchesKey(pattern, key)));
  return { ...Object.fromEntries(handed), ...child };
}

/** `*` is any run without a slash, `?` one character that is none. Takes time in proportion to the key, whatever the pattern. */
export function matchesKey(pattern: string, key: string): boolean {
  let [at, star, mark] = [0, -1, 0];
  for (let i = 0; i < key.length; ) {
    const wanted = pattern[at];
    if (wanted === "*") {
      [star, mark] = [at, i];
      at += 1;
    } else if (wanted === key[i] || (wanted === "?" && key[i] !== "/")) {
      at += 1;
      i += 1;
    } else if (star >= 0 && key[mark] !== "/") {
      mark += 1;
      [at, i] = [star + 1, mark];
    } else return false;
  }
  while (pattern[at] === "*") at += 1;
  return at === pattern.length;
}
