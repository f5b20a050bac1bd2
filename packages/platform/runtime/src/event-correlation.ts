import type { Note } from "@trivium/reconcile";
import type { Instant, Millis } from "@trivium/std";

/** How one note is to be told: as an event of its own, or once more on one that exists. */
export interface Telling {
  /** The same for tellings that belong on one Event. */
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
  readonly messages: Set<string>;
  at: Instant;
}
interface Allowance {
  left: number;
  at: Instant;
}

/** So many different messages for one reason about one object, within this time, are told as one. */
const maxSimilar = 10;
const similarFor: Millis = 600_000;
/** An object may cause this many events at once, and one more every five minutes. */
const burst = 25;
const refill: Millis = 300_000;
const maxRemembered = 4_096;

/** Keeps Events few: repeated notes are counted, similar ones combined, and an object that never stops talking is cut short. */
export class EventCorrelation {
  readonly #reported = new Map<string, Reported>();
  readonly #similar = new Map<string, Similar>();
  readonly #allowances = new Map<string, Allowance>();

  /** `subject` names the object and who speaks of it. Nothing comes back when the note is to be swallowed. */
  correlate(subject: string, note: Note, now: Instant): Telling | undefined {
    const group = `${subject} ${note.type} ${note.reason} ${note.action ?? ""}`;
    const isCombined = this.#countSimilar(group, note.message, now) > maxSimilar;
    const key = isCombined ? `${group} combined` : `${group} ${note.message}`;
    const message = isCombined ? `(combined from similar events): ${note.message}` : note.message;
    if (!this.#isAllowed(subject, now)) return undefined;
    const reported = this.#reported.get(key) ?? { count: 0, firstAt: now };
    reported.count += 1;
    remember(this.#reported, key, reported);
    return { key, message, count: reported.count, firstAt: reported.firstAt };
  }

  /** The server has an Event of this kind that was counted before our time. */
  resume(key: string, count: number, firstAt: Instant): void {
    remember(this.#reported, key, { count, firstAt });
  }

  #countSimilar(group: string, message: string, now: Instant): number {
    const known = this.#similar.get(group);
    const similar =
      known !== undefined && now - known.at <= similarFor ? known : { messages: new Set<string>(), at: now };
    similar.at = now;
    if (similar.messages.size <= maxSimilar) similar.messages.add(message);
    remember(this.#similar, group, similar);
    return similar.messages.size;
  }

  #isAllowed(subject: string, now: Instant): boolean {
    const allowance = this.#allowances.get(subject) ?? { left: burst, at: now };
    allowance.left = Math.min(burst, allowance.left + (now - allowance.at) / refill);
    allowance.at = now;
    remember(this.#allowances, subject, allowance);
    if (allowance.left < 1) return false;
    allowance.left -= 1;
    return true;
  }
}

/** A map keeps the order of insertion: putting a key last on each use makes the first key the one to forget. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxRemembered) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
