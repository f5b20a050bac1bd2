import { Recent } from "./recent.ts";

/** Names, uids and times do not repeat: with them the tables fill, and what was not met again is forgotten. */
const maxTexts = 500;
const maxParts = 250;
/** The parser keeps shorter texts once already. */
const minLength = 11;
/** What holds a longer text, or is longer itself, repeats too rarely for comparing it, and what it is compared by would be kept. */
const maxLength = 256;
const maxSignature = 2_000;
/** What is nested deeper is left as it is: an API server accepts objects that are deep enough to exhaust the stack. */
const maxDepth = 64;

/**
 * Objects of one kind are alike in most places: images, arguments, messages, probes, resources, tolerations. Each such text and each such
 * part is kept once for all of them. Parts are compared from the innermost outwards, so equal ones have the same members and not only equal
 * ones.
 */
export class SharedParts {
  readonly #texts = new Recent<string>(maxTexts);
  readonly #parts = new Recent<object>(maxParts);
  /** A number for each part that can be met again. */
  readonly #numbers = new WeakMap<object, number>();
  #next = 0;

  /** Replaces what is inside an object by equal values that are known, in place. Parts that are shared are frozen. */
  share(object: object): void {
    if (!Object.isFrozen(object)) this.#signatureOf(object, 0);
  }

  /** The same part as it is known, or itself. */
  #known(part: object, depth: number): object {
    if (depth > maxDepth || Object.isFrozen(part)) return part;
    const signature = this.#signatureOf(part, depth);
    if (signature === undefined) return part;
    const known = this.#parts.get(signature);
    if (known !== undefined) return known;
    this.#parts.set(signature, part);
    this.#numbers.set(part, this.#next++);
    return Object.freeze(part);
  }

  /** What tells a part from all that are not equal to it; nothing where it is not worth while. Its members are the known ones from here on. */
  #signatureOf(part: object, depth: number): string | undefined {
    const members = part as Record<string, unknown>;
    let signature: string | undefined = Array.isArray(part) ? "[" : "{";
    for (const key of Object.keys(members)) {
      const member = members[key];
      const known = this.#memberOf(member, depth + 1);
      if (known !== member) members[key] = known;
      const mark: string | undefined = signature === undefined ? undefined : this.#markOf(known);
      signature = mark === undefined ? undefined : `${signature}${key.length}:${key}${mark}`;
      if (signature !== undefined && signature.length > maxSignature) signature = undefined;
    }
    return signature;
  }

  #memberOf(member: unknown, depth: number): unknown {
    if (typeof member === "string") return this.#textOf(member);
    return typeof member === "object" && member !== null ? this.#known(member, depth) : member;
  }

  /** Each begins with its type and says where it ends, so that no two members read alike. */
  #markOf(member: unknown): string | undefined {
    if (typeof member === "string") return member.length > maxLength ? undefined : `"${member.length}:${member}`;
    if (typeof member !== "object" || member === null) return `${member};`;
    const number = this.#numbers.get(member);
    return number === undefined ? undefined : `#${number};`;
  }

  #textOf(text: string): string {
    if (text.length < minLength || text.length > maxSignature) return text;
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}
