/** Names, uids and times do not repeat: with them the table fills, and begins again. */
const maxStrings = 1_000;
/** The parser keeps shorter ones once already. */
const minLength = 11;

/** Objects of one kind say the same in most places: images, paths, arguments, messages. Each such text is kept once for all of them. */
export class SharedStrings {
  readonly #known = new Map<string, string>();

  /** Replaces strings by equal ones that are known, in place. */
  share(value: object): void {
    if (Object.isFrozen(value)) return;
    const members = value as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === "string") {
        if (member.length >= minLength) members[key] = this.#same(member);
      } else if (typeof member === "object" && member !== null) this.share(member);
    }
  }

  #same(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= maxStrings) this.#known.clear();
    this.#known.set(text, text);
    return text;
  }
}
