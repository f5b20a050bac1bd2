/** Lets text through up to the first stop word, and holds back an end that could still become one. */
export class StopWords {
  readonly #words: readonly string[];
  #held = "";
  hit: string | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  /** What of the text so far can be shown now. */
  push(text: string): string {
    if (this.hit !== undefined) return "";
    if (this.#words.length === 0) return text;
    const all = this.#held + text;
    const [at, word] = this.#find(all);
    if (word !== undefined) {
      this.hit = word;
      this.#held = "";
      return all.slice(0, at);
    }
    const kept = this.#couldBegin(all);
    this.#held = all.slice(all.length - kept);
    return all.slice(0, all.length - kept);
  }

  /** The rest, when nothing more comes. */
  flush(): string {
    const rest = this.#held;
    this.#held = "";
    return rest;
  }

  #find(text: string): [number, string | undefined] {
    let first = -1;
    let hit: string | undefined;
    for (const word of this.#words) {
      const at = text.indexOf(word);
      if (at < 0 || (first >= 0 && at >= first)) continue;
      first = at;
      hit = word;
    }
    return [first, hit];
  }

  /** Length of the longest end of the text that a stop word starts with. */
  #couldBegin(text: string): number {
    let longest = 0;
    for (const word of this.#words)
      for (let length = Math.min(word.length - 1, text.length); length > longest; length--)
        if (text.endsWith(word.slice(0, length))) longest = length;
    return longest;
  }
}
