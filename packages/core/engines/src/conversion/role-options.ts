/** Options that make a server one half of a pair: it computes prompts for another one, or continues what another one computed. */
const ofRole: readonly RegExp[] = [
  /^--disaggregation-/,
  // The same option also keeps computed prompts for the server itself (`kv_both`).
  /^--kv-transfer-config(?:=| ).*kv_(?:producer|consumer)/s,
];

export interface SplitOptions {
  readonly args: readonly string[];
  /** Of a server that works with others; alone it would not answer. */
  readonly ofRole: readonly string[];
}

/** Takes the options of a role out of the arguments of a server. An option has all words up to the next one that begins with a dash. */
export function splitRoleOptions(args: readonly string[]): SplitOptions {
  const options: string[][] = [];
  for (const word of args) {
    const last = options.at(-1);
    if (last === undefined || word.startsWith("-")) options.push([word]);
    else last.push(word);
  }
  const isOfRole = (words: readonly string[]): boolean => ofRole.some((pattern) => pattern.test(words.join(" ")));
  return {
    args: options.filter((words) => !isOfRole(words)).flat(),
    ofRole: options.filter(isOfRole).flat(),
  };
}
