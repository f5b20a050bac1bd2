import { ProtocolFault } from "../protocol-fault.ts";

/** A message of a WebSocket client, or one of its control frames. */
export type Message =
  | { readonly is: "data"; readonly data: Buffer; readonly isText: boolean }
  | { readonly is: "ping"; readonly data: Buffer }
  | { readonly is: "close" };

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** Takes bytes as they come and gives messages (RFC 6455, without extensions). Holds no more than one message of the largest size. */
export class MessageReader {
  readonly #maxBytes: number;
  #held: Buffer[] = [];
  #size = 0;
  #parts: { readonly isText: boolean; readonly pieces: Buffer[]; size: number } | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *read(chunk: Buffer): Generator<Message> {
    this.#held.push(chunk);
    this.#size += chunk.length;
    for (;;) {
      const message = this.#next();
      if (message === undefined) return;
      if (message !== "partial") yield message;
    }
  }

  #next(): Message | "partial" | undefined {
    const head = this.#head();
    if (head === undefined || this.#size < head.size + head.length) return undefined;
    const bytes = this.#take(head.size + head.length);
    const data = unmask(bytes.subarray(head.size), bytes.subarray(head.size - 4, head.size));
    if (head.opcode >= opcodes.close) return controlOf(head.opcode, data);
    return this.#join(head.opcode, data, head.isFinal);
  }

  /** The head of the next frame, refused before its content is waited for. */
  #head(): { opcode: number; isFinal: boolean; size: number; length: number } | undefined {
    if (this.#size < 2) return undefined;
    const start = this.#peek(14);
    const [first = 0, second = 0] = start;
    const [opcode, short] = [first & 0xf, second & 0x7f];
    const isFinal = (first & 0x80) !== 0;
    if ((first & 0x70) !== 0) throw new ProtocolFault("a WebSocket frame uses an extension that was not agreed on");
    if ((second & 0x80) === 0) throw new ProtocolFault("a WebSocket frame of a client is not masked");
    const isControl = opcode >= opcodes.close;
    if (isControl && (short > 125 || !isFinal)) throw new ProtocolFault("a WebSocket control frame is too large");
    if (opcode > opcodes.pong || (opcode > opcodes.binary && !isControl))
      throw new ProtocolFault("unknown WebSocket frame");
    const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (start.length < 2 + wide) return undefined;
    const length = wide === 0 ? short : wide === 2 ? start.readUInt16BE(2) : Number(start.readBigUInt64BE(2));
    if (length + (this.#parts?.size ?? 0) > this.#maxBytes)
      throw new ProtocolFault(`a WebSocket message is larger than ${this.#maxBytes} bytes`);
    return { opcode, isFinal, size: 2 + wide + 4, length };
  }

  #join(opcode: number, data: Buffer, isFinal: boolean): Message | "partial" {
    const isFirst = opcode !== opcodes.continuation;
    if (isFirst === (this.#parts !== undefined)) throw new ProtocolFault("WebSocket fragments are out of order");
    const parts = this.#parts ?? { isText: opcode === opcodes.text, pieces: [], size: 0 };
    parts.pieces.push(data);
    parts.size += data.length;
    // An endless row of empty fragments would never reach the limit of bytes.
    if (parts.pieces.length > 1024) throw new ProtocolFault("a WebSocket message has too many fragments");
    this.#parts = isFinal ? undefined : parts;
    if (!isFinal) return "partial";
    const whole = parts.pieces.length === 1 ? data : Buffer.concat(parts.pieces);
    return { is: "data", data: whole, isText: parts.isText };
  }

  #peek(bytes: number): Buffer {
    if ((this.#held[0]?.length ?? 0) < Math.min(bytes, this.#size)) this.#held = [Buffer.concat(this.#held)];
    return (this.#held[0] as Buffer).subarray(0, bytes);
  }

  #take(bytes: number): Buffer {
    const whole = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    this.#size -= bytes;
    this.#held = this.#size === 0 ? [] : [whole.subarray(bytes)];
    return whole.subarray(0, bytes);
  }
}

function controlOf(opcode: number, data: Buffer): Message | "partial" {
  if (opcode === opcodes.close) return { is: "close" };
  return opcode === opcodes.ping ? { is: "ping", data } : "partial";
}

function unmask(data: Buffer, mask: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(data.length);
  for (let i = 0; i < data.length; i += 1) plain[i] = (data[i] as number) ^ (mask[i & 3] as number);
  return plain;
}

export const binaryFrame = (data: Buffer): Buffer => frame(opcodes.binary, data);
export const textFrame = (data: Buffer): Buffer => frame(opcodes.text, data);
export const pongFrame = (data: Buffer): Buffer => frame(opcodes.pong, data);

export function closeFrame(code: number): Buffer {
  const body = Buffer.alloc(2);
  body.writeUInt16BE(code);
  return frame(opcodes.close, body);
}

function frame(opcode: number, data: Buffer): Buffer {
  const wide = data.length < 126 ? 0 : data.length < 0x1_0000 ? 2 : 8;
  const head = Buffer.alloc(2 + wide);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(wide === 0 ? data.length : wide === 2 ? 126 : 127, 1);
  if (wide === 2) head.writeUInt16BE(data.length, 2);
  if (wide === 8) head.writeBigUInt64BE(BigInt(data.length), 2);
  return Buffer.concat([head, data]);
}
