/** Words of one argument: a flag with what belongs to it, or a word of its own. */
interface Group {
  readonly key: string;
  readonly words: readonly string[];
}

/** Arguments with those of a class of accelerators in their place: the same flag is replaced where it stands, others come at the end. */
export function mergeArguments(base: readonly string[], over: readonly string[]): string[] {
  if (over.length === 0) return [...base];
  const [first, ...rest] = base;
  if (first !== undefined && isScript(first)) return [mergeScript(first, over), ...rest];
  return mergeGroups(groupsOf(base), groupsOf(over)).flatMap(({ words }) => words);
}

/** One text for a shell, with an argument a line. */
const isScript = (text: string): boolean => text.includes("\n") || text.includes("\\");

function mergeScript(script: string, over: readonly string[]): string {
  const lines = script
    .split("\n")
    .map((line) => line.trim().replace(/\s*\\$/, ""))
    .filter((line) => line !== "");
  const ours = groupsOf(over).map(({ key, words }) => ({ key, words: [words.join(" ")] }));
  const merged = mergeGroups(
    lines.map((line) => ({ key: keyOf(line), words: [line] })),
    ours,
  );
  return merged.flatMap(({ words }) => words).join(" \\\n");
}

function mergeGroups(base: readonly Group[], over: readonly Group[]): Group[] {
  const known = new Set(base.map(({ key }) => key));
  const replacements = new Map(over.map((group) => [group.key, group]));
  return [
    ...base.map((group) => replacements.get(group.key) ?? group),
    ...[...replacements.values()].filter(({ key }) => !known.has(key)),
  ];
}

/** `--k v` as two words is one. A number below zero is a value. */
const isFlag = (word: string): boolean => /^-(?!\d)/.test(word);
const keyOf = (text: string): string => (isFlag(text) ? (text.split(/[=\s]/, 1)[0] ?? text) : text);

function groupsOf(words: readonly string[]): Group[] {
  const groups: Group[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] as string;
    const next = words[at + 1];
    const takesNext = isFlag(word) && !/[=\s]/.test(word) && next !== undefined && !isFlag(next);
    groups.push({ key: keyOf(word), words: takesNext ? [word, next] : [word] });
    if (takesNext) at += 1;
  }
  return groups;
}
