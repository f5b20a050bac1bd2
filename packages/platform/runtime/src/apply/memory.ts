import { digest } from "./satisfied.ts";

interface Done {
  /** The child, or the status. */
  readonly slot: string;
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
  /** An object has a few slots: a list of them takes a fraction of a map. */
  readonly #done = new Map<string, readonly Done[]>();

  isDone(reader: string, slot: string, request: string, live: Sight): boolean {
    const done = this.#done.get(reader)?.find((one) => one.slot === slot);
    if (done === undefined || done.request !== request) return false;
    if (done.version !== undefined && done.version === live.version) return true;
    if (done.print !== digest(live.content)) return false;
    done.version = live.version;
    return true;
  }

  note(reader: string, slot: string, request: string, live: Sight): void {
    const done = { slot, request, version: live.version, print: digest(live.content) };
    this.#done.set(reader, [...this.#others(reader, slot), done]);
  }

  drop(reader: string, slot: string): void {
    const others = this.#others(reader, slot);
    if (others.length > 0) this.#done.set(reader, others);
    else this.#done.delete(reader);
  }

  #others(reader: string, slot: string): readonly Done[] {
    return (this.#done.get(reader) ?? []).filter((one) => one.slot !== slot);
  }

  forget(reader: string): void {
    this.#done.delete(reader);
  }
}
