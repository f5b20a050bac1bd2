import type { ByteRange } from "./remote-file.ts";

/** A stretch that one connection fetches. `end` may come nearer while it runs, when another takes over its tail. */
export interface Piece {
  position: number;
  end: number;
}

/** Below this a tail is not worth a second connection. */
const smallestSplit = 2 * 1024 * 1024;

/** Hands out what is still missing, from the front, so that the part without gaps grows and can be hashed early. */
export class Workload {
  readonly #gaps: ByteRange[];
  readonly #pieceSize: number;
  readonly #running = new Set<Piece>();

  constructor(missing: readonly ByteRange[], pieceSize: number) {
    this.#gaps = [...missing];
    this.#pieceSize = pieceSize;
  }

  get isDone(): boolean {
    return this.#gaps.length === 0 && this.#running.size === 0;
  }

  /** The next piece; when all are given out, the second half of the one with the most left. */
  take(): Piece | undefined {
    const piece = this.#fromGaps() ?? this.#fromSlowest();
    if (piece !== undefined) this.#running.add(piece);
    return piece;
  }

  /** Whatever is left of the piece is missing again. */
  giveBack(piece: Piece): void {
    if (!this.#running.delete(piece) || piece.position >= piece.end) return;
    const gap = { start: piece.position, end: piece.end };
    const index = this.#gaps.findIndex((each) => each.start > gap.start);
    this.#gaps.splice(index === -1 ? this.#gaps.length : index, 0, gap);
  }

  #fromGaps(): Piece | undefined {
    const gap = this.#gaps[0];
    if (gap === undefined) return undefined;
    const end = Math.min(gap.end, gap.start + this.#pieceSize);
    if (end === gap.end) this.#gaps.shift();
    else this.#gaps[0] = { start: end, end: gap.end };
    return { position: gap.start, end };
  }

  #fromSlowest(): Piece | undefined {
    let slowest: Piece | undefined;
    for (const piece of this.#running) {
      if (slowest === undefined || piece.end - piece.position > slowest.end - slowest.position) slowest = piece;
    }
    if (slowest === undefined || slowest.end - slowest.position < smallestSplit) return undefined;
    const middle = Math.ceil((slowest.position + slowest.end) / 2);
    const tail = { position: middle, end: slowest.end };
    slowest.end = middle;
    return tail;
  }
}

/** Pieces long enough to make the request cheap, short enough that the front moves steadily. */
export function pieceSizeFor(total: number, connections: number): number {
  const mebibyte = 1024 * 1024;
  const share = Math.ceil(total / (connections * 4) / mebibyte) * mebibyte;
  return Math.min(32 * mebibyte, Math.max(mebibyte, share));
}
