import { STATUS_CODES, validateHeaderName, validateHeaderValue } from "node:http";
import type { Socket } from "node:net";
import type { ClientResponse, ResponseHeaders } from "../exchange.ts";

export interface PlainResponseOptions {
  /** Seconds for which the connection waits for a next request; undefined when it is the last one. */
  readonly keepAlive: number | undefined;
  /** The response is complete and sent; or it broke off, and the connection with it. */
  readonly onOver: (response: PlainResponse) => void;
}

type Event = "close" | "drain" | "error";

/** Up to this size a piece is written together with what goes before and after it, in one call. */
const singleWrite = 12 * 1024;

/** The response to a plain request: the part of Node's ServerResponse that the gateway uses, written with fewer steps. */
export class PlainResponse implements ClientResponse {
  readonly #socket: Socket;
  readonly #options: PlainResponseOptions;
  readonly #listeners: { readonly event: Event; readonly run: () => void; readonly isOnce: boolean }[] = [];
  #set: string[] | undefined;
  /** Written but not sent: it leaves with the first piece of the body. */
  #head: string | undefined;
  #isChunked = false;
  #hasBody = true;
  #isOver = false;
  /** Whether the connection takes another request after this response. */
  isLast: boolean;
  statusCode = 200;
  headersSent = false;
  writableEnded = false;
  writableFinished = false;

  constructor(socket: Socket, options: PlainResponseOptions) {
    this.#socket = socket;
    this.#options = options;
    this.isLast = options.keepAlive === undefined;
  }

  on(event: Event, run: () => void): this {
    this.#listeners.push({ event, run, isOnce: false });
    return this;
  }

  once(event: Event, run: () => void): this {
    this.#listeners.push({ event, run, isOnce: true });
    return this;
  }

  emit(event: Event): void {
    for (const listener of [...this.#listeners]) {
      if (listener.event !== event) continue;
      if (listener.isOnce) this.#listeners.splice(this.#listeners.indexOf(listener), 1);
      listener.run();
    }
  }

  /** It is asked for before a body is sent; plain requests bring theirs with them. */
  writeContinue(): void {}

  setHeader(name: string, value: string): void {
    this.#set ??= [];
    this.#set.push(name, value);
  }

  writeHead(status: number, headers: ResponseHeaders = []): this {
    if (this.headersSent) throw new Error("the headers were sent already");
    // Throws at an invalid header: then nothing counts as sent, and an error can be written instead.
    this.#head = this.#format(status, listOf(headers));
    this.statusCode = status;
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    if (this.#head !== undefined) this.#send("");
  }

  write(piece: Buffer | string): boolean {
    if (!this.headersSent) this.writeHead(200);
    if (this.writableEnded || !this.#hasBody || piece.length === 0) return true;
    this.#writePiece(piece);
    return !this.#socket.writableNeedDrain;
  }

  end(piece: Buffer | string = "", encoding?: "latin1" | (() => void)): void {
    if (this.writableEnded) return;
    if (!this.headersSent) this.writeHead(200);
    if (typeof encoding === "function") this.once("close", encoding);
    const isLatin = encoding === "latin1";
    if (this.#hasBody && piece.length > 0) this.#writePiece(piece, isLatin);
    if (this.#isChunked) this.#send("0\r\n\r\n");
    else if (this.#head !== undefined) this.#send("");
    this.writableEnded = true;
    if (this.#socket.writableLength === 0) this.#finish();
    else this.#socket.write("", () => this.#finish());
  }

  destroy(): void {
    this.#socket.destroy();
    this.breakOff();
  }

  /** The connection has ended. */
  breakOff(): void {
    if (this.#isOver) return;
    this.isLast = true;
    this.#over();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.writableFinished = true;
    this.#over();
  }

  #over(): void {
    this.#isOver = true;
    this.#options.onOver(this);
    this.emit("close");
  }

  #writePiece(piece: Buffer | string, isLatin = false) {
    if (!isLatin && piece.length > singleWrite) return this.#writeLarge(piece);
    const text = isLatin ? (piece as string) : bytesOf(piece);
    this.#send(this.#isChunked ? `${text.length.toString(16)}\r\n${text}\r\n` : text);
  }

  #writeLarge(piece: Buffer | string): void {
    this.#socket.cork();
    if (this.#isChunked) this.#send(`${Buffer.byteLength(piece).toString(16)}\r\n`);
    else if (this.#head !== undefined) this.#send("");
    this.#socket.write(piece);
    if (this.#isChunked) this.#send("\r\n");
    this.#socket.uncork();
  }

  /** One character a byte, after the head if that was not sent. */
  #send(text: string): void {
    const head = this.#head;
    this.#head = undefined;
    this.#socket.write(head === undefined ? text : head + text, "latin1");
  }

  #format(status: number, headers: readonly string[]): string {
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "unknown"}\r\n`;
    let isFramed = false;
    let isDated = false;
    const all = this.#set === undefined ? headers : [...withoutNames(this.#set, headers), ...headers];
    for (let at = 0; at < all.length; at += 2) {
      const name = all[at] as string;
      const value = all[at + 1] as string;
      validateHeaderName(name);
      validateHeaderValue(name, value);
      switch (name.toLowerCase()) {
        case "content-length":
          isFramed = true;
          break;
        case "date":
          isDated = true;
          break;
        case "connection":
          this.isLast ||= value.toLowerCase() === "close";
          continue;
      }
      head += `${name}: ${value}\r\n`;
    }
    this.#hasBody = status !== 204 && status !== 304;
    this.#isChunked = this.#hasBody && !isFramed;
    if (this.#isChunked) head += "Transfer-Encoding: chunked\r\n";
    if (!isDated) head += `Date: ${dateNow()}\r\n`;
    if (this.isLast) return `${head}Connection: close\r\n\r\n`;
    return `${head}Connection: keep-alive\r\nKeep-Alive: timeout=${this.#options.keepAlive}\r\n\r\n`;
  }
}

const listOf = (headers: ResponseHeaders): readonly string[] =>
  Array.isArray(headers)
    ? (headers as readonly string[])
    : Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap((each) => [name, String(each)]));

/** Headers that were set before, but for those that are given now. */
function withoutNames(set: readonly string[], given: readonly string[]): string[] {
  const names = new Set(given.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase()));
  return set.filter((_, at) => !names.has((set[at - (at % 2)] as string).toLowerCase()));
}

const bytesOf = (piece: Buffer | string): string =>
  (typeof piece === "string" ? Buffer.from(piece) : piece).toString("latin1");

let dateAt = 0;
let date = "";

/** Formatted once a second. */
function dateNow(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== dateAt) {
    dateAt = second;
    date = new Date(second * 1_000).toUTCString();
  }
  return date;
}
