/**
 * A body that arrives in pieces, in one buffer. The buffer is never larger than twice what has arrived, so that a client cannot occupy
 * memory by announcing a length, nor by sending a body byte by byte.
 */
export class CollectedBody {
  readonly #length: number;
  #buffer: Buffer = Buffer.alloc(0);
  #size = 0;

  constructor(length: number) {
    this.#length = length;
  }

  get isWhole(): boolean {
    return this.#size === this.#length;
  }

  /** Bytes that are kept in memory. */
  get capacity(): number {
    return this.#buffer.length;
  }

  /** What has arrived; it is not copied. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Copies what belongs to the body, and returns what follows it. */
  add(piece: Buffer): Buffer {
    const end = Math.min(piece.length, this.#length - this.#size);
    this.#reserve(this.#size + end);
    this.#size += piece.copy(this.#buffer, this.#size, 0, end);
    return piece.subarray(end);
  }

  #reserve(size: number): void {
    if (size <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#length, size * 2));
    this.bytes.copy(larger);
    this.#buffer = larger;
  }
}
