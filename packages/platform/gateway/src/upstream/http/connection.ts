import { connect, type Socket } from "node:net";
import type { Readable } from "node:stream";
import type { Cancel, Clock } from "@trivium/runtime";
import type { Instant, Millis } from "@trivium/std";
import { type BodyLength, formatRequestHead, type RequestLine } from "./request-head.ts";
import type { ResponseHead } from "./response-head.ts";
import { ResponseReader, type ResponseSink } from "./response-reader.ts";
import { type StreamedBody, streamBody } from "./stream-body.ts";

export interface UpstreamRequest extends RequestLine {
  /** Whole, or as it arrives; then its length is among the headers or it is sent in chunks. */
  readonly body: Buffer | Readable | null;
}

/** What the receiver of a response can do about it. */
export interface ResponseControl {
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
  /** Ends the exchange with its connection; nothing more is called. */
  abort(): void;
}

/** Receives one response: a start, perhaps a head and pieces, then exactly one end or error. */
export interface ResponseHandler {
  /** The request is about to be written: from here on a server can have received it. */
  onRequestStart(control: ResponseControl): void;
  onResponseStart(head: ResponseHead): void;
  onResponseData(piece: Buffer): void;
  onResponseEnd(): void;
  onResponseError(error: Error): void;
}

export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  readonly connectTimeout: Millis;
  readonly clock: Clock;
  /** The connection can take another request, for so long. */
  readonly onFree: (connection: Connection, keepAlive: Millis) => void;
  readonly onClose: (connection: Connection) => void;
}

interface Exchange {
  readonly request: UpstreamRequest;
  readonly handler: ResponseHandler;
}

/**
 * All connections read into the same bytes, one after the other: what is kept is copied out of them. A buffer for each read costs more
 * than the copy, most of it when it is collected.
 */
const arrivals = Buffer.allocUnsafeSlow(64 * 1024);

/** Up to this size a body is written together with its head, in one call. */
const singleWrite = 12 * 1024;

/** One connection to a replica: one exchange at a time, and the next one when that has ended properly. */
export class Connection implements ResponseControl, ResponseSink {
  readonly #options: ConnectionOptions;
  readonly #socket: Socket;
  #connectTimer: Cancel | undefined;
  #exchange: Exchange | undefined;
  #reader: ResponseReader | undefined;
  #body: StreamedBody | undefined;
  #keepAlive: Millis = 0;
  /** Until when it can wait for a request. */
  idleUntil: Instant = 0;
  isPaused = false;
  isClosed = false;

  constructor(request: UpstreamRequest, handler: ResponseHandler, options: ConnectionOptions) {
    const { host, port, clock, connectTimeout } = options;
    this.#options = options;
    this.#exchange = { request, handler };
    const onread = { buffer: arrivals, callback: (size: number) => this.#take(size) };
    this.#socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000, onread });
    this.#socket.once("connect", () => this.#begin());
    this.#socket.once("end", () => this.#endOfConnection());
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.once("close", () => this.#fail(new Error("the connection was closed")));
    this.#connectTimer = clock.schedule(connectTimeout, () => this.#fail(new Error("connect timeout")));
    this.#socket.resume();
  }

  /** The next request on a free connection. */
  send(request: UpstreamRequest, handler: ResponseHandler): void {
    this.#exchange = { request, handler };
    this.#write();
  }

  pause(): void {
    this.isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.isPaused = false;
    this.#socket.resume();
  }

  abort(): void {
    this.#exchange = undefined;
    this.close();
  }

  /** At once, whatever is under way; who waits for a response gets an error. */
  destroy(): void {
    this.#fail(new Error("the connection was closed"));
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#connectTimer?.();
    this.#reader?.stop();
    this.#body?.detach();
    this.#socket.destroy();
    this.#options.onClose(this);
  }

  #begin(): void {
    this.#connectTimer?.();
    if (this.#exchange === undefined) this.close();
    else this.#write();
  }

  #write(): void {
    const { request, handler } = this.#exchange as Exchange;
    handler.onRequestStart(this);
    if (this.isClosed) return;
    try {
      this.#reader = new ResponseReader(request.method, this);
      this.#writeRequest(request);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #writeRequest(request: UpstreamRequest): void {
    const { body } = request;
    const head = formatRequestHead(request, lengthOf(request));
    if (body === null) this.#socket.write(head, "latin1");
    else if (body instanceof Uint8Array) this.#writeWhole(head, body);
    else this.#stream(request, head, body);
  }

  #writeWhole(head: string, body: Buffer): void {
    if (body.length <= singleWrite) return void this.#socket.write(head + body.toString("latin1"), "latin1");
    this.#socket.cork();
    this.#socket.write(head, "latin1");
    this.#socket.write(body);
    this.#socket.uncork();
  }

  #stream(request: UpstreamRequest, head: string, body: Readable): void {
    this.#socket.write(head, "latin1");
    const framing = lengthOf(request) === "chunked" ? "chunked" : "plain";
    this.#body = streamBody(body, this.#socket, framing, (error) => this.#fail(error));
  }

  #take(size: number): boolean {
    // Nothing was asked: whatever this is, it answers nothing.
    if (this.#reader === undefined || this.#exchange === undefined) {
      this.close();
      return true;
    }
    try {
      this.#reader.feed(arrivals.subarray(0, size));
    } catch (error) {
      this.#fail(error as Error);
    }
    return !this.isPaused;
  }

  onHead(head: ResponseHead): void {
    this.#keepAlive = head.keepAlive;
    this.#exchange?.handler.onResponseStart(head);
  }

  onPiece(piece: Buffer): void {
    this.#exchange?.handler.onResponseData(piece);
  }

  onEnd(rest: "nothing" | "extra"): void {
    const handler = this.#exchange?.handler;
    this.#exchange = undefined;
    this.#reader = undefined;
    // After an early response, the next request would be written behind the rest of this one, which the server may never read.
    const isSent = (this.#body?.isSent ?? true) && this.#socket.writableLength === 0;
    this.#body?.detach();
    this.#body = undefined;
    if (this.isPaused) this.resume();
    if (rest === "extra" || !isSent || this.#keepAlive === 0 || this.isClosed) this.close();
    else this.#options.onFree(this, this.#keepAlive);
    handler?.onResponseEnd();
  }

  #endOfConnection(): void {
    if (this.#reader?.endOfConnection()) return;
    this.#fail(new Error("the server closed the connection"));
  }

  #fail(error: Error): void {
    const handler = this.#exchange?.handler;
    this.#exchange = undefined;
    this.close();
    handler?.onResponseError(error);
  }
}

function lengthOf({ body, headers }: UpstreamRequest): BodyLength {
  if (body === null) return 0;
  if (body instanceof Buffer) return body.length;
  for (let at = 0; at < headers.length; at += 2) {
    if ((headers[at] as string).toLowerCase() === "content-length") return "as-announced";
  }
  return "chunked";
}
