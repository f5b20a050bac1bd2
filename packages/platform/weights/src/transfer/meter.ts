import type { Millis } from "@trivium/std";

/** One statement about a running transfer. `bytes` never falls, whatever had to be fetched again. */
export interface Progress {
  readonly file: string;
  readonly bytes: number;
  readonly total: number | undefined;
  /** Bytes a second over the last few seconds. */
  readonly rate: number;
  readonly etaSeconds: number | undefined;
  /** 1 until something had to be asked for again. */
  readonly attempt: number;
  readonly protocol: string | undefined;
}

/** How much the newest second weighs in the rate. */
const weight = 0.3;

/** Turns counts into progress that only goes forward. Knows no clock: it is told the time. */
export class Meter {
  readonly #file: string;
  #have: number;
  #shown: number;
  #fetched = 0;
  #fetchedBefore = 0;
  #rate = 0;
  #at: Millis;
  attempt = 1;
  total: number | undefined;
  protocol: string | undefined;

  /** `resumed` bytes were there before; they count as done, not as rate. */
  constructor(file: string, resumed: number, now: Millis) {
    this.#file = file;
    this.#have = resumed;
    this.#shown = resumed;
    this.#at = now;
  }

  /** Bytes that came over the wire in this run, wanted or not. */
  get fetched(): number {
    return this.#fetched;
  }

  /** Bytes came in. */
  received(bytes: number): void {
    this.#fetched += bytes;
  }

  /** So much of the file is safely there. It may fall when a download starts over; what is shown does not. */
  have(bytes: number): void {
    this.#have = bytes;
    this.#shown = Math.max(this.#shown, bytes);
  }

  read(now: Millis): Progress {
    const elapsed = now - this.#at;
    if (elapsed > 0) {
      const latest = ((this.#fetched - this.#fetchedBefore) / elapsed) * 1000;
      const share = this.#rate === 0 ? 1 : 1 - (1 - weight) ** (elapsed / 1000);
      this.#rate += (latest - this.#rate) * share;
      this.#fetchedBefore = this.#fetched;
      this.#at = now;
    }
    const bytes = this.total === undefined ? this.#shown : Math.min(this.#shown, this.total);
    const left = this.total === undefined ? undefined : Math.max(0, this.total - this.#have);
    return {
      file: this.#file,
      bytes,
      total: this.total,
      rate: Math.round(this.#rate),
      etaSeconds: left === undefined || this.#rate < 1 ? undefined : Math.ceil(left / this.#rate),
      attempt: this.attempt,
      protocol: this.protocol,
    };
  }
}
