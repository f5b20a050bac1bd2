import { ProtocolFault } from "../protocol-fault.ts";

/** A frame of SPDY/3.1, as far as streams of pods need it. Data comes in pieces as it arrives; `isLast` ends the sender's side. */
export type Frame =
  | { readonly is: "data"; readonly stream: number; readonly data: Buffer; readonly isLast: boolean }
  | { readonly is: "open"; readonly stream: number; readonly block: Buffer; readonly isLast: boolean }
  | { readonly is: "headers"; readonly stream: number; readonly block: Buffer; readonly isLast: boolean }
  | { readonly is: "reset"; readonly stream: number }
  | { readonly is: "ping"; readonly id: number }
  | { readonly is: "leave" }
  | { readonly is: "ignored" };

const types = { open: 1, reply: 2, reset: 3, ping: 6, leave: 7, headers: 8 };
const version = 3;
const fin = 1;
const headSize = 8;
/** Control frames are kept whole; data is handed on. */
const maxControlBytes = 64 * 1024;

/** Takes bytes as they come and gives frames. Holds no more than one control frame. */
export class FrameReader {
  #held: Buffer = Buffer.alloc(0);
  /** What is left of the data frame under way. */
  #data: { readonly stream: number; left: number; readonly isLast: boolean } | undefined;

  *read(chunk: Buffer): Generator<Frame> {
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    for (;;) {
      const frame = this.#data === undefined ? this.#next() : this.#piece(this.#data);
      if (frame === undefined) return;
      if (frame.is !== "ignored") yield frame;
    }
  }

  #piece(data: { readonly stream: number; left: number; readonly isLast: boolean }): Frame | undefined {
    if (this.#held.length === 0 && data.left > 0) return undefined;
    const piece = this.#take(Math.min(data.left, this.#held.length));
    data.left -= piece.length;
    if (data.left === 0) this.#data = undefined;
    return { is: "data", stream: data.stream, data: piece, isLast: data.isLast && data.left === 0 };
  }

  #next(): Frame | undefined {
    if (this.#held.length < headSize) return undefined;
    const first = this.#held.readUInt32BE(0);
    const flags = this.#held.readUInt8(4);
    const length = this.#held.readUIntBE(5, 3);
    if (first < 0x8000_0000) {
      this.#take(headSize);
      this.#data = { stream: first, left: length, isLast: (flags & fin) !== 0 };
      return { is: "ignored" };
    }
    if (((first >>> 16) & 0x7fff) !== version) throw new ProtocolFault("not a frame of SPDY/3.1");
    if (length > maxControlBytes) throw new ProtocolFault("a SPDY control frame is too large");
    if (this.#held.length < headSize + length) return undefined;
    this.#take(headSize);
    return controlFrame(first & 0xffff, this.#take(length), (flags & fin) !== 0);
  }

  #take(bytes: number): Buffer {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }
}

function controlFrame(type: number, body: Buffer, isLast: boolean): Frame {
  const number = (at: number): number => {
    if (body.length < at + 4) throw new ProtocolFault("a SPDY control frame is cut off");
    return body.readUInt32BE(at);
  };
  switch (type) {
    case types.open:
      // Stream, associated stream, priority and slot.
      if (body.length < 10) throw new ProtocolFault("a SPDY control frame is cut off");
      return { is: "open", stream: number(0) & 0x7fff_ffff, block: body.subarray(10), isLast };
    case types.headers:
      return { is: "headers", stream: number(0) & 0x7fff_ffff, block: body.subarray(4), isLast };
    case types.reset:
      return { is: "reset", stream: number(0) & 0x7fff_ffff };
    case types.ping:
      return { is: "ping", id: number(0) };
    case types.leave:
      return { is: "leave" };
    default:
      return { is: "ignored" };
  }
}

export function dataFrame(stream: number, data: Buffer, isLast: boolean): Buffer {
  const head = Buffer.alloc(headSize);
  head.writeUInt32BE(stream, 0);
  head.writeUInt8(isLast ? fin : 0, 4);
  head.writeUIntBE(data.length, 5, 3);
  return data.length === 0 ? head : Buffer.concat([head, data]);
}

export const replyFrame = (stream: number, block: Buffer): Buffer =>
  control(types.reply, Buffer.concat([numbers(stream), block]));
/** 5 is the status CANCEL. */
export const resetFrame = (stream: number): Buffer => control(types.reset, numbers(stream, 5));
export const pingFrame = (id: number): Buffer => control(types.ping, numbers(id));
export const leaveFrame = (lastStream: number): Buffer => control(types.leave, numbers(lastStream, 0));

function control(type: number, body: Buffer): Buffer {
  const head = Buffer.alloc(headSize);
  head.writeUInt32BE(0x8000_0000 + version * 0x1_0000 + type, 0);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, 4 * index);
  });
  return bytes;
}
