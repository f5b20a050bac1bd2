import { digest } from "./satisfied.ts";

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
  /**
   * By reader: for each slot (a child, or the status) its name, the digest of what was wanted, a digest of what could be touched in the live
   * object that was found good, and the version of that. A list of texts takes a fraction of objects in a map.
   */
  readonly #done = new Map<string, (string | undefined)[]>();

  isDone(reader: string, slot: string, request: string, live: Sight): boolean {
    const done = this.#done.get(reader) ?? [];
    const at = placeOf(done, slot);
    if (at < 0 || done[at + 1] !== request) return false;
    if (done[at + 3] !== undefined && done[at + 3] === live.version) return true;
    if (done[at + 2] !== digest(live.content)) return false;
    done[at + 3] = live.version;
    return true;
  }

  note(reader: string, slot: string, request: string, live: Sight): void {
    const done = this.#done.get(reader) ?? [];
    const noted = [slot, request, digest(live.content), live.version];
    const at = placeOf(done, slot);
    // A list that has grown by `push` has room for many more.
    if (at < 0) this.#done.set(reader, done.concat(noted));
    else done.splice(at, fields, ...noted);
  }

  drop(reader: string, slot: string): void {
    const done = this.#done.get(reader) ?? [];
    const at = placeOf(done, slot);
    if (at < 0) return;
    if (done.length === fields) this.#done.delete(reader);
    else done.splice(at, fields);
  }

  forget(reader: string): void {
    this.#done.delete(reader);
  }
}

/** What is kept of one slot. */
const fields = 4;

function placeOf(done: readonly (string | undefined)[], slot: string): number {
  for (let at = 0; at < done.length; at += fields) if (done[at] === slot) return at;
  return -1;
}
