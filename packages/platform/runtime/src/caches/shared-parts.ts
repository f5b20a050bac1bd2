import { getOwn } from "@trivium/std";
import { Recent } from "./recent.ts";

/** Names, uids and times do not repeat: with them the tables fill, and what was not met again is forgotten. */
const maxTexts = 500;
const maxParts = 250;
/** The parser keeps shorter texts once already. */
const minLength = 10;
/** Longer texts repeat too rarely for keeping them, and what holds a text of some length for comparing it. */
const maxLength = 2_000;
const maxComparedLength = 256;
const maxMembers = 64;
/** What is nested deeper is left as it is: an API server accepts objects that are deep enough to exhaust the stack. */
const maxDepth = 64;

/**
 * Objects of one kind are alike in most places: images, arguments, messages, probes, resources, tolerations. Each such text and each such
 * part is kept once for all of them. Parts are compared from the innermost outwards, so equal ones have the same members and not only equal
 * ones.
 */
export class SharedParts {
  readonly #texts = new Recent<string>(maxTexts);
  /** By a hash of the members; what has the same hash and is something else takes the place. */
  readonly #parts = new Recent<object, number>(maxParts);
  /** A number for each part that was met again. What holds another part is known nowhere else, so it is not compared. */
  readonly #numbers = new WeakMap<object, number>();
  #next = 0;

  /**
   * Replaces what is inside an object by equal values that are known, in place: those of the version of it before, and of other objects. Parts
   * that are shared are frozen.
   */
  share(object: object, before?: object): void {
    if (Object.isFrozen(object)) return;
    this.#shareParts(object, before, 0);
    this.#shareTexts(object);
  }

  /** The same part as it is known, or itself. */
  #known(part: object, before: unknown, depth: number): object {
    if (depth > maxDepth || Object.isFrozen(part)) return part;
    const former = typeof before === "object" && before !== null ? before : undefined;
    this.#shareParts(part, former, depth);
    if (former !== undefined && hasSameMembers(former, part)) return former;
    const hash = this.#hashOf(part);
    const known = hash === undefined ? undefined : this.#parts.get(hash);
    if (known !== undefined && hasSameMembers(known, part)) {
      if (!this.#numbers.has(known)) this.#numbers.set(known, this.#next++);
      return known;
    }
    this.#shareTexts(part);
    if (hash === undefined) return part;
    this.#parts.set(hash, part);
    return Object.freeze(part);
  }

  #shareParts(part: object, before: object | undefined, depth: number): void {
    const members = part as Record<string, unknown>;
    const former = before as Record<string, unknown> | undefined;
    for (const key of Object.keys(members)) {
      const member = members[key];
      const there = former && getOwn(former, key);
      // Equal texts look the same, and only one of them is to be kept.
      if (typeof member === "string" && member === there) members[key] = there;
      else if (typeof member === "object" && member !== null) members[key] = this.#known(member, there, depth + 1);
    }
  }

  #shareTexts(part: object): void {
    const members = part as Record<string, unknown>;
    for (const key of Object.keys(members)) {
      const member = members[key];
      if (typeof member === "string" && member.length >= minLength) members[key] = this.#textOf(member);
    }
  }

  /** The same for parts with the same members; nothing where comparing is not worth while. */
  #hashOf(part: object): number | undefined {
    const members = part as Record<string, unknown>;
    const keys = Object.keys(members);
    if (keys.length > maxMembers) return undefined;
    let hash = Number(Array.isArray(part));
    for (const key of keys) {
      const mark = this.#markOf(members[key]);
      if (mark === undefined) return undefined;
      hash = mix(mix(hash, hashOfText(key)), mark);
    }
    return hash;
  }

  #markOf(member: unknown): number | undefined {
    if (typeof member === "string") return member.length > maxComparedLength ? undefined : hashOfText(member);
    if (typeof member === "object" && member !== null) return this.#numbers.get(member);
    return Math.trunc(Number(member));
  }

  #textOf(text: string): string {
    if (text.length > maxLength) return text;
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }
}

function hasSameMembers(one: object, other: object): boolean {
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const [members, others] = [one as Record<string, unknown>, other as Record<string, unknown>];
  const [keys, otherKeys] = [Object.keys(members), Object.keys(others)];
  return (
    keys.length === otherKeys.length && keys.every((key, at) => key === otherKeys[at] && members[key] === others[key])
  );
}

const mix = (hash: number, value: number): number => Math.imul(hash ^ value, 0x01000193) ^ (hash >>> 15);

function hashOfText(text: string): number {
  let hash = text.length;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}
