import type { Note } from "@trivium/reconcile";
import { type Instant, type Millis, shortHash } from "@trivium/std";
import { hasPiece, pieceLength, pieceOf } from "./pieces.ts";
import { digest } from "./satisfied.ts";

/** How one note is to be told: as an event of its own, or once more on one that exists. */
export interface Telling {
  /** The same for tellings that belong on one Event; short, since thousands are remembered. */
  readonly key: string;
  readonly message: string;
  readonly count: number;
  readonly firstAt: Instant;
}

interface Reported {
  count: number;
  readonly firstAt: Instant;
}
interface Similar {
  /** Pieces of them. */
  messages: string;
  at: Instant;
}

/** So many different messages for one reason about one object, within this time, are told as one. */
const maxSimilar = 10;
const similarFor: Millis = 600_000;
/** An object may cause this many events at once, and one more every five minutes. */
const burst = 25;
const refill: Millis = 300_000;
/** Warnings that are repeated or reworded, of all objects together, may be told this often at once, and then once a second. */
const repeatBurst = 50;
const repeatRefill: Millis = 1_000;
const maxRemembered = 4_096;

/**
 * Keeps Events few: repeated notes are counted, similar ones combined, and an object that never stops talking is cut short. What is told
 * for the first time of an object is never held back for others, nor is what was done to it (Normal); warnings that change for hundreds of
 * objects at once are.
 */
export class EventCorrelation {
  readonly #reported = new Map<string, Reported>();
  readonly #similar = new Map<string, Similar>();
  /** By subject: when its allowance is whole again. */
  readonly #allowances = new Map<string, Instant>();
  /** The same for warnings that are repeated, of all objects. */
  #repeats: Instant = 0;

  /** `subject` names the object and who speaks of it. Nothing comes back when the note is to be swallowed. */
  correlate(subject: string, note: Note, now: Instant): Telling | undefined {
    const whole = `${subject} ${note.type} ${note.reason} ${note.action ?? ""}`;
    const group = digest(whole);
    const isRepeat = note.type === "Warning" && this.#isKnown(group, now);
    const isCombined = this.#countSimilar(group, note.message, now) > maxSimilar;
    const key = shortHash(isCombined ? `${whole} combined` : `${whole} ${note.message}`, 16);
    const message = isCombined ? `(combined from similar events): ${note.message}` : note.message;
    if (!this.#isAllowed(digest(subject), isRepeat, now)) return undefined;
    const reported = this.#reported.get(key) ?? { count: 0, firstAt: now };
    reported.count += 1;
    remember(this.#reported, key, reported);
    return { key, message, count: reported.count, firstAt: reported.firstAt };
  }

  /** The server has an Event of this kind that was counted before our time. */
  resume(key: string, count: number, firstAt: Instant): void {
    remember(this.#reported, key, { count, firstAt });
  }

  #isKnown(group: string, now: Instant): boolean {
    const known = this.#similar.get(group);
    return known !== undefined && now - known.at <= similarFor;
  }

  #countSimilar(group: string, message: string, now: Instant): number {
    const known = this.#similar.get(group);
    const similar = known !== undefined && now - known.at <= similarFor ? known : { messages: "", at: now };
    similar.at = now;
    const piece = pieceOf(message);
    if (countOf(similar) <= maxSimilar && !hasPiece(similar.messages, piece)) similar.messages += piece;
    remember(this.#similar, group, similar);
    return countOf(similar);
  }

  /** Both allowances or none: a note that is held back for others costs its object nothing. */
  #isAllowed(subject: string, isRepeat: boolean, now: Instant): boolean {
    const own = afterTaking(this.#allowances.get(subject), burst, refill, now);
    const repeats = isRepeat ? afterTaking(this.#repeats, repeatBurst, repeatRefill, now) : this.#repeats;
    if (own === undefined || repeats === undefined) return false;
    remember(this.#allowances, subject, own);
    this.#repeats = repeats;
    return true;
  }
}

const countOf = ({ messages }: Similar): number => messages.length / pieceLength;

/** When an allowance is whole again after one more was taken of it; nothing where none is left. */
function afterTaking(wholeAt: Instant | undefined, limit: number, every: Millis, now: Instant): Instant | undefined {
  const next = Math.max(wholeAt ?? now, now) + every;
  return next - now > limit * every ? undefined : next;
}

/** A map keeps the order of insertion: putting a key last on each use makes the first key the one to forget. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxRemembered) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
