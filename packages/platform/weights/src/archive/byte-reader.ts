/** Takes bytes from a stream in the portions that a format asks for. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  /** Up to `most` bytes, as they come; undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.byteLength === 0) {
      const next = await this.#chunks.next();
      if (next.done === true) return undefined;
      this.#rest = next.value;
    }
    const taken = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(taken.byteLength);
    return taken;
  }

  /** Exactly `count` bytes; undefined when the stream ends before. */
  async exactly(count: number): Promise<Uint8Array | undefined> {
    const whole = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      const part = await this.some(count - at);
      if (part === undefined) return undefined;
      whole.set(part, at);
      at += part.byteLength;
    }
    return whole;
  }

  async skip(count: number): Promise<boolean> {
    for (let left = count; left > 0; ) {
      const part = await this.some(left);
      if (part === undefined) return false;
      left -= part.byteLength;
    }
    return true;
  }

  /** Ends the stream before its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
