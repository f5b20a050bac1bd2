/** Reads the protobuf wire format. Every length is checked against what is there, so hostile bytes end in `WireError`. */
export class WireError extends Error {
  constructor(what: string) {
    super(`the protobuf body is broken: ${what}`);
    this.name = "WireError";
  }
}

export class WireReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** The next field's number and wire type. */
  tag(): { number: number; wire: number } {
    const tag = Number(this.varint());
    if (tag >>> 3 === 0 || tag > 0xffffffff) throw new WireError("a field has no number");
    return { number: tag >>> 3, wire: tag & 7 };
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new WireError("it ends inside a number");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError("a number is too long");
  }

  double(): number {
    return this.take(8).readDoubleLE(0);
  }

  bytes(): Buffer {
    return this.take(Number(this.varint()));
  }

  skip(wire: number): void {
    if (wire === 0) this.varint();
    else if (wire === 1) this.take(8);
    else if (wire === 2) this.bytes();
    else if (wire === 5) this.take(4);
    else throw new WireError(`wire type ${wire} is not used by this API`);
  }

  private take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new WireError("it ends inside a field");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}
