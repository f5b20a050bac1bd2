import type { ByteRange } from "../remote-file.ts";

/** Which bytes are there: sorted stretches that neither overlap nor touch. */
export class RangeSet {
  #ranges: ByteRange[] = [];
  #size = 0;

  static of(ranges: Iterable<ByteRange>): RangeSet {
    const set = new RangeSet();
    for (const range of ranges) set.add(range);
    return set;
  }

  get ranges(): readonly ByteRange[] {
    return this.#ranges;
  }

  /** How many bytes are there. */
  get size(): number {
    return this.#size;
  }

  /** How many bytes are there without a gap from the first one on. */
  get frontier(): number {
    const first = this.#ranges[0];
    return first?.start === 0 ? first.end : 0;
  }

  add({ start, end }: ByteRange): void {
    if (end <= start) return;
    const from = this.#firstEndingAtOrAfter(start);
    let to = from;
    let merged = { start, end };
    for (let next = this.#ranges[to]; next !== undefined && next.start <= end; next = this.#ranges[to]) {
      merged = { start: Math.min(merged.start, next.start), end: Math.max(merged.end, next.end) };
      this.#size -= next.end - next.start;
      to++;
    }
    this.#ranges.splice(from, to - from, merged);
    this.#size += merged.end - merged.start;
  }

  /** The gaps up to `total`. */
  missing(total: number): ByteRange[] {
    const gaps: ByteRange[] = [];
    let at = 0;
    for (const { start, end } of this.#ranges) {
      if (start >= total) break;
      if (start > at) gaps.push({ start: at, end: start });
      at = end;
    }
    if (at < total) gaps.push({ start: at, end: total });
    return gaps;
  }

  #firstEndingAtOrAfter(offset: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#ranges[middle] as ByteRange).end < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
