import { MalformedResponse, parseResponseHead, type ResponseHead } from "./response-head.ts";

/** Where the parts of a response go, in order. */
export interface ResponseSink {
  onHead(head: ResponseHead): void;
  /** A copy: it can be kept. */
  onPiece(piece: Buffer): void;
  /** With `extra`, bytes follow that belong to no response. */
  onEnd(rest: "nothing" | "extra"): void;
}

const maxHeadBytes = 16 * 1024;
const maxSizeLine = 1_024;
const endOfHead = Buffer.from("\r\n\r\n");
const [cr, lf] = [0x0d, 0x0a];

/** Takes one response apart as its bytes arrive. Only parts of lines are kept between two calls. */
export class ResponseReader {
  readonly #sink: ResponseSink;
  readonly #method: string;
  #state: "head" | "length" | "until-close" | "size" | "chunk" | "chunk-end" | "trailer" | "over" = "head";
  /** Bytes of the body, or of the chunk, that are still to come. */
  #left = 0;
  /** The beginning of a head or a line whose end has not arrived. */
  #held: Buffer | undefined;
  #trailerBytes = 0;

  constructor(method: string, sink: ResponseSink) {
    this.#method = method;
    this.#sink = sink;
  }

  /** Nothing of the response is delivered from now on. */
  stop(): void {
    this.#state = "over";
  }

  /** `arrived` is used again by the caller afterwards. Throws MalformedResponse. */
  feed(arrived: Buffer) {
    const bytes = this.#held === undefined ? arrived : Buffer.concat([this.#held, arrived]);
    this.#held = undefined;
    let at = 0;
    while (at < bytes.length && this.#state !== "over") {
      const next = this.#step(bytes, at);
      if (next === -1) return this.#hold(bytes, at);
      at = next;
    }
  }

  /** The connection has ended: whether that is a proper end of the response. */
  endOfConnection(): boolean {
    if (this.#state !== "until-close") return false;
    this.#end("nothing");
    return true;
  }

  /** Where to go on, or -1 when the rest must be read together with what follows. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#state) {
      case "head":
        return this.#takeHead(bytes, at);
      case "until-close":
        return this.#pass(bytes, at, bytes.length);
      case "length":
        return this.#takeBody(bytes, at);
      case "size":
        return this.#takeSize(bytes, at);
      case "chunk":
        return this.#takeChunk(bytes, at);
      case "chunk-end":
        return this.#takeChunkEnd(bytes, at);
      default:
        return this.#takeTrailer(bytes, at);
    }
  }

  #takeHead(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(endOfHead, at);
    if ((end === -1 ? bytes.length : end) - at > maxHeadBytes) throw new MalformedResponse("headers too large");
    if (end === -1) return -1;
    const head = parseResponseHead(bytes.toString("latin1", at, end), this.#method);
    const next = end + 4;
    // 100 and 103 announce the response; nobody has offered to switch to anything else.
    if (head.status === 101) throw new MalformedResponse("unexpected upgrade");
    if (head.status < 200) return next;
    const { framing } = head;
    if (framing === "chunked") this.#state = "size";
    else if (framing === "until-close") this.#state = "until-close";
    else {
      this.#left = framing === "none" ? 0 : framing;
      this.#state = "length";
    }
    this.#sink.onHead(head);
    if (this.#state === "length" && this.#left === 0) this.#end(next < bytes.length ? "extra" : "nothing");
    return next;
  }

  #takeBody(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + this.#left);
    this.#left -= to - at;
    this.#pass(bytes, at, to);
    if (this.#left === 0) this.#end(to < bytes.length ? "extra" : "nothing");
    return to;
  }

  #takeSize(bytes: Buffer, at: number): number {
    const line = lineFrom(bytes, at, maxSizeLine);
    if (line === undefined) return -1;
    const digits = /^([\da-f]{1,12})(?:[ \t]*;.*)?$/i.exec(line)?.[1];
    if (digits === undefined) throw new MalformedResponse("invalid chunk size");
    this.#left = Number.parseInt(digits, 16);
    this.#state = this.#left === 0 ? "trailer" : "chunk";
    return at + line.length + 2;
  }

  #takeChunk(bytes: Buffer, at: number): number {
    const to = Math.min(bytes.length, at + this.#left);
    this.#left -= to - at;
    if (this.#left === 0) this.#state = "chunk-end";
    return this.#pass(bytes, at, to);
  }

  #takeChunkEnd(bytes: Buffer, at: number): number {
    if (bytes.length - at < 2) return -1;
    if (bytes[at] !== cr || bytes[at + 1] !== lf) throw new MalformedResponse("invalid chunk");
    this.#state = "size";
    return at + 2;
  }

  /** Trailers are about this connection: they are read and dropped. */
  #takeTrailer(bytes: Buffer, at: number): number {
    const line = lineFrom(bytes, at, maxHeadBytes);
    if (line === undefined) return -1;
    const next = at + line.length + 2;
    this.#trailerBytes += line.length + 2;
    if (this.#trailerBytes > maxHeadBytes) throw new MalformedResponse("trailers too large");
    if (line === "") this.#end(next < bytes.length ? "extra" : "nothing");
    return next;
  }

  #pass(bytes: Buffer, from: number, to: number): number {
    this.#sink.onPiece(Buffer.from(bytes.subarray(from, to)));
    return to;
  }

  #end(rest: "nothing" | "extra"): void {
    // The receiver of the last piece can have stopped it.
    if (this.#state === "over") return;
    this.#state = "over";
    this.#sink.onEnd(rest);
  }

  #hold(bytes: Buffer, from: number): void {
    this.#held = Buffer.from(bytes.subarray(from));
  }
}

/** A line without its end; nothing while its end has not arrived. */
function lineFrom(bytes: Buffer, at: number, most: number): string | undefined {
  const end = bytes.indexOf(lf, at);
  if ((end === -1 ? bytes.length : end) - at > most) throw new MalformedResponse("line too long");
  if (end === -1) return undefined;
  if (bytes[end - 1] !== cr || end === at) throw new MalformedResponse("invalid line ending");
  return bytes.toString("latin1", at, end - 1);
}
