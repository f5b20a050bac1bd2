import type { Instant, Millis } from "@trivium/std";
import { type BackoffLimits, backoffDelay } from "../backoff.ts";

/** So often an object is taken over without asking who keeps writing it: an operator that is being stopped may write once more. */
const patience = 3;
const pauses: BackoffLimits = { first: 15_000, most: 600_000 };
/** After so long without the other operator a new row begins. */
const calm: Millis = 1_800_000;

interface Row {
  readonly times: number;
  readonly last: Instant;
}

/**
 * Objects that another operator writes again each time that we have taken them over. Two that force their fields on an object would
 * undo each other's work without end, so after a few times we wait, each time longer.
 */
export class Contests {
  readonly #rows = new Map<string, Row>();

  /** How long to leave the object alone; nothing where it can be taken over now. */
  pauseOf(reader: string, slot: string, now: Instant): Millis | undefined {
    const row = this.#rows.get(`${reader} ${slot}`);
    if (row === undefined || row.times < patience) return undefined;
    const left = row.last + backoffDelay(pauses, row.times - patience + 1, () => 0.5) - now;
    return left > 0 ? left : undefined;
  }

  /** The object was taken over once more. */
  note(reader: string, slot: string, now: Instant): void {
    const key = `${reader} ${slot}`;
    const row = this.#rows.get(key);
    const isCalm = row === undefined || now - row.last > calm;
    this.#rows.set(key, { times: isCalm ? 1 : row.times + 1, last: now });
  }

  forget(reader: string): void {
    for (const key of [...this.#rows.keys()]) if (key.startsWith(`${reader} `)) this.#rows.delete(key);
  }
}
