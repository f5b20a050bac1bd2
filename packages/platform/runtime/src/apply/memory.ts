import { digest } from "./satisfied.ts";

interface Done {
  /** Digest of what was wanted. */
  readonly request: string;
  /** The version of the live object that was found good, and a digest of what could be touched in it. */
  version: string | undefined;
  readonly print: string;
}

export interface Sight {
  readonly version: string | undefined;
  /** The part of the live object that is compared. */
  readonly content: unknown;
}

/**
 * What was found good: a wish and the live object that answered it. As long as neither changes there is nothing to write,
 * even where the server writes things in another way than we do (`1000m` and `1`). Lost on restart, which costs at most one write
 * of no effect for such an object.
 */
export class Memory {
  readonly #done = new Map<string, Map<string, Done>>();

  isDone(reader: string, slot: string, request: string, live: Sight): boolean {
    const done = this.#done.get(reader)?.get(slot);
    if (done === undefined || done.request !== request) return false;
    if (done.version !== undefined && done.version === live.version) return true;
    if (done.print !== digest(live.content)) return false;
    done.version = live.version;
    return true;
  }

  note(reader: string, slot: string, request: string, live: Sight): void {
    const slots = this.#done.get(reader) ?? new Map<string, Done>();
    this.#done.set(reader, slots);
    slots.set(slot, { request, version: live.version, print: digest(live.content) });
  }

  drop(reader: string, slot: string): void {
    this.#done.get(reader)?.delete(slot);
  }

  forget(reader: string): void {
    this.#done.delete(reader);
  }
}
