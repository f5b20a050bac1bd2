import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import type { Instant } from "@trivium/std";

interface Stamp {
  /** All of the file before this byte, and after the stamp before it, was there at that time. */
  readonly size: number;
  readonly at: Instant;
}

/**
 * When the bytes of log files came. A process prints without saying when, so whoever watches notes how far a file had grown at which
 * time, beside the files. What was printed while nobody watched is taken for as old as its file.
 */
export class LogStamps {
  readonly #path: string;
  readonly #files = new Map<string, Stamp[]>();

  constructor(path: string) {
    this.#path = path;
    for (const line of readLines(path)) {
      const [, file, size, at] = /^(\S+) (\d+) (\d+)$/.exec(line) ?? [];
      if (file !== undefined) this.#add(file, { size: Number(size), at: Number(at) });
    }
  }

  note(file: string, size: number, at: Instant): void {
    if (size <= this.sizeOf(file)) return;
    this.#add(file, { size, at });
    appendFileSync(this.#path, `${file} ${size} ${at}\n`);
  }

  /** How far the file has been stamped. */
  sizeOf(file: string): number {
    return this.#files.get(file)?.at(-1)?.size ?? 0;
  }

  /** When the byte at this place came; nothing when nobody has noted it yet. */
  timeOf(file: string, place: number): Instant | undefined {
    const stamps = this.#files.get(file) ?? [];
    return stamps[firstIndex(stamps, ({ size }) => size > place)]?.at;
  }

  /** The first byte of the file that came at this time or later; nothing when all of it is older. */
  placeSince(file: string, since: Instant): number | undefined {
    const stamps = this.#files.get(file) ?? [];
    const index = firstIndex(stamps, ({ at }) => at >= since);
    if (index === stamps.length) return undefined;
    return stamps[index - 1]?.size ?? 0;
  }

  /** Forgets all files but these. */
  retain(files: ReadonlySet<string>): void {
    const gone = [...this.#files.keys()].filter((file) => !files.has(file));
    if (gone.length === 0) return;
    for (const file of gone) this.#files.delete(file);
    const lines = [...this.#files].flatMap(([file, stamps]) => stamps.map(({ size, at }) => `${file} ${size} ${at}\n`));
    writeFileSync(this.#path, lines.join(""));
  }

  #add(file: string, stamp: Stamp): void {
    const stamps = this.#files.get(file);
    if (stamps === undefined) this.#files.set(file, [stamp]);
    else stamps.push(stamp);
  }
}

function firstIndex(stamps: readonly Stamp[], holds: (stamp: Stamp) => boolean): number {
  let [low, high] = [0, stamps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(stamps[middle] as Stamp)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, "latin1").split("\n");
  } catch {
    return [];
  }
}
