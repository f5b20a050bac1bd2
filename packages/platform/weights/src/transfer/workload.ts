import type { Millis } from "@trivium/std";
import type { ByteRange } from "./remote-file.ts";

/** What one connection fetches: it is safely written up to `position`. `end` may come nearer when another takes over the tail. */
export interface Stretch {
  position: number;
  end: number;
}

export interface Piece extends Stretch {
  readonly start: number;
  readonly takenAt: Millis;
}

/** Below this a tail is not worth a second connection. */
const smallestSplit = 2 * 1024 * 1024;
/** A connection that will be done sooner than this is left alone: cutting it short wastes what is already on the way. */
const slowFromMs = 1_500;

/** Hands out what is still missing, from the front, so that the part without gaps grows and can be hashed early. */
export class Workload {
  readonly #gaps: ByteRange[];
  readonly #running = new Set<Piece>();

  constructor(missing: readonly ByteRange[]) {
    this.#gaps = [...missing];
  }

  get isDone(): boolean {
    return this.#gaps.length === 0 && this.#running.size === 0;
  }

  /** The next piece, of at most `size` bytes; when all are given out, the second half of the one that would take longest. */
  take(now: Millis, size: number): Piece | undefined {
    const range = this.#fromGaps(size) ?? this.#fromSlowest(now);
    if (range === undefined) return undefined;
    const piece = { start: range.start, position: range.start, end: range.end, takenAt: now };
    this.#running.add(piece);
    return piece;
  }

  /** Whatever is left of the piece is missing again. */
  giveBack(piece: Piece): void {
    if (!this.#running.delete(piece) || piece.position >= piece.end) return;
    const gap = { start: piece.position, end: piece.end };
    const index = this.#gaps.findIndex((each) => each.start > gap.start);
    this.#gaps.splice(index === -1 ? this.#gaps.length : index, 0, gap);
  }

  #fromGaps(size: number): ByteRange | undefined {
    const gap = this.#gaps[0];
    if (gap === undefined) return undefined;
    const end = Math.min(gap.end, gap.start + size);
    if (end === gap.end) this.#gaps.shift();
    else this.#gaps[0] = { start: end, end: gap.end };
    return { start: gap.start, end };
  }

  #fromSlowest(now: Millis): ByteRange | undefined {
    let slowest: Piece | undefined;
    let longest = slowFromMs;
    for (const piece of this.#running) {
      const left = expectedMs(piece, now);
      if (piece.end - piece.position < smallestSplit || left < longest) continue;
      slowest = piece;
      longest = left;
    }
    if (slowest === undefined) return undefined;
    const { end } = slowest;
    slowest.end = Math.ceil((slowest.position + end) / 2);
    return { start: slowest.end, end };
  }
}

/** How long the rest of a piece will take if it goes on as before. One that has just begun is not judged. */
function expectedMs(piece: Piece, now: Millis): Millis {
  const elapsed = now - piece.takenAt;
  if (elapsed < slowFromMs) return 0;
  return ((piece.end - piece.position) * elapsed) / Math.max(1, piece.position - piece.start);
}
