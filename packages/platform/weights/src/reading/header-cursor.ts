import type { ByteSource } from "./byte-source.ts";
import { invalidFile } from "./invalid-file.ts";

/** No header is longer; tokenizers of 300,000 words take about 10 MB. Bytes that are passed over do not count. */
const maxHeaderBytes = 64 * 1024 * 1024;
/** The most that is held at once because of a guess about what is still to come. */
const maxAhead = 8 * 1024 * 1024;

/**
 * A place in a file, moving forward. Numbers are read from a window of it without waiting; `need` moves the window. Everything
 * that a hostile file could make large is bounded here: bytes read, number of reads, the size of the window.
 */
export class HeaderCursor {
  isLittle = true;
  readonly #source: ByteSource;
  #window: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  /** Where the window begins in the file. */
  #start = 0;
  #at = 0;
  #reads = 0;
  #bytesRead = 0;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  get position(): number {
    return this.#start + this.#at;
  }

  /** How much of the file is left; without bound where its size is not known. */
  get left(): number {
    return (this.#source.size ?? Number.POSITIVE_INFINITY) - this.position;
  }

  has(bytes: number): boolean {
    return this.#at + bytes <= this.#window.length;
  }

  /** Waits until so many bytes can be read. `ahead` is a guess at how many more will be wanted soon. */
  async need(bytes: number, ahead = 0): Promise<void> {
    if (this.has(bytes)) return;
    if (bytes > this.left) throw this.truncated();
    const kept = this.#window.subarray(this.#at);
    const from = this.position + kept.length;
    const fresh = await this.#read(from, bytes - kept.length, ahead);
    this.#start = this.position;
    this.#at = 0;
    this.#window = kept.length === 0 ? fresh : joined(kept, fresh);
    this.#view = new DataView(this.#window.buffer, this.#window.byteOffset, this.#window.length);
    if (!this.has(bytes)) throw this.truncated();
  }

  async #read(from: number, least: number, ahead: number): Promise<Uint8Array> {
    const { steps, maxReads } = this.#source;
    const step = steps[Math.min(this.#reads, steps.length - 1)] ?? 0;
    const hoped = Math.max(least, step, Math.min(ahead, maxAhead));
    const there = (this.#source.size ?? Number.POSITIVE_INFINITY) - from;
    const wanted = Math.min(hoped, there, maxHeaderBytes - this.#bytesRead);
    this.#reads++;
    if (wanted < least) throw this.fault(`its header is longer than ${maxHeaderBytes} bytes`);
    if (this.#reads > maxReads) throw this.fault(`reading its header takes more than ${maxReads} requests`);
    const fresh = await this.#source.read(from, wanted);
    this.#bytesRead += fresh.length;
    return fresh;
  }

  /** Moves on without looking; nothing is read until the next `need`. */
  skip(bytes: number): void {
    if (bytes > this.left) throw this.truncated();
    this.#at += bytes;
    if (this.#at <= this.#window.length) return;
    this.#start += this.#at;
    this.#at = 0;
    this.#window = this.#window.subarray(this.#window.length);
  }

  u8(): number {
    return this.#view.getUint8(this.#move(1));
  }
  i8(): number {
    return this.#view.getInt8(this.#move(1));
  }
  u16(): number {
    return this.#view.getUint16(this.#move(2), this.isLittle);
  }
  i16(): number {
    return this.#view.getInt16(this.#move(2), this.isLittle);
  }
  u32(): number {
    return this.#view.getUint32(this.#move(4), this.isLittle);
  }
  i32(): number {
    return this.#view.getInt32(this.#move(4), this.isLittle);
  }
  f32(): number {
    return this.#view.getFloat32(this.#move(4), this.isLittle);
  }
  f64(): number {
    return this.#view.getFloat64(this.#move(8), this.isLittle);
  }
  /** The nearest number; exact up to 2^53. */
  u64(): number {
    return wide(this.#view, this.#move(8), this.isLittle);
  }
  i64(): number {
    return Number(this.#view.getBigInt64(this.#move(8), this.isLittle));
  }

  bytes(length: number): Uint8Array {
    const from = this.#move(length);
    return this.#window.subarray(from, from + length);
  }

  /** Passes over texts that carry their lengths, as many as the window holds whole. Returns how many are left. */
  passTexts(count: number, prefix: 4 | 8): number {
    const view = this.#view;
    const end = this.#window.length - prefix;
    let at = this.#at;
    let left = count;
    while (left > 0 && at <= end) {
      const length = prefix === 8 ? wide(view, at, this.isLittle) : view.getUint32(at, this.isLittle);
      const next = at + prefix + length;
      if (next > this.#window.length) {
        if (this.#start + next > (this.#source.size ?? Number.MAX_SAFE_INTEGER)) throw this.truncated();
        break;
      }
      at = next;
      left--;
    }
    this.#at = at;
    return left;
  }

  fault(why: string): Error {
    return invalidFile(this.#source.shownAs, why);
  }

  truncated(): Error {
    const what = this.#source.size === 0 ? "it is empty" : `it is truncated or damaged at byte ${this.position}`;
    return this.fault(`${what}; download it again`);
  }

  #move(bytes: number): number {
    const at = this.#at;
    this.#at = at + bytes;
    return at;
  }
}

function wide(view: DataView, at: number, isLittle: boolean): number {
  const low = view.getUint32(isLittle ? at : at + 4, isLittle);
  const high = view.getUint32(isLittle ? at + 4 : at, isLittle);
  return high * 0x1_0000_0000 + low;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
