import type { Socket } from "node:net";
import { Exchange } from "../exchange.ts";
import { CollectedBody } from "./collected-body.ts";
import { type PlainHead, parsePlainHead } from "./parse-request.ts";
import { PlainResponse } from "./plain-response.ts";

export interface PlainParts {
  /** Serves a request that has arrived whole. */
  readonly serve: (exchange: Exchange) => void;
  /** Whether the head alone is reason to refuse a request: then its body must not be collected. */
  readonly isRefused: (head: PlainHead) => boolean;
  /** Gives the connection, with what was read of it, to the server that knows every form of HTTP. */
  readonly handOver: (socket: Socket) => void;
  readonly onClose: (connection: PlainConnection) => void;
  /** Seconds that clients are told for which a connection waits. */
  readonly keepAliveSeconds: number;
  readonly maxHeadBytes: number;
}

/** A larger body is not collected here. */
const maxBody = 256 * 1024;
const endOfHead = Buffer.from("\r\n\r\n");

/**
 * A connection as long as its requests are plain: one after the other, whole before it is served. With the first that is not, it is
 * handed over, and never comes back.
 */
export class PlainConnection {
  readonly #socket: Socket;
  readonly #parts: PlainParts;
  #head: PlainHead | undefined;
  #body: CollectedBody | undefined;
  #response: PlainResponse | undefined;
  /** What arrived after the request that is being served. */
  #ahead: Buffer | undefined;
  #isClosing = false;
  readonly #onData = (piece: Buffer): void => this.#take(piece);
  readonly #onDrain = (): void => this.#response?.emit("drain");
  readonly #onEnd = (): void => void this.#socket.end();
  readonly #onError = (): void => {};
  readonly #onClose = (): void => this.#close();

  /** What it waits for, and since when: the first request, the rest of one, or the next one. */
  waits: "head" | "body" | "next" | "nothing" = "head";
  waitsSince = performance.now();

  constructor(socket: Socket, parts: PlainParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on("data", this.#onData).on("drain", this.#onDrain).on("end", this.#onEnd);
    socket.on("error", this.#onError).on("close", this.#onClose);
  }

  /** The client took too long. */
  expire(): void {
    if (this.waits === "next") return void this.#socket.destroy();
    this.#socket.end("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    this.#socket.destroySoon();
  }

  /** No further request: at once when none is under way, or else after its response. */
  endSoon(): void {
    this.#isClosing = true;
    if (this.#response === undefined) this.#socket.destroy();
    else if (!this.#response.headersSent) this.#response.isLast = true;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #take(piece: Buffer) {
    if (this.#response !== undefined) return this.#keepForLater(piece);
    if (this.#head !== undefined) return this.#takeMore(this.#head, this.#body as CollectedBody, piece);
    const end = piece.indexOf(endOfHead);
    const isShort = end !== -1 && end <= this.#parts.maxHeadBytes;
    const head = isShort ? parsePlainHead(piece.toString("latin1", 0, end)) : undefined;
    if (head === undefined || head.length > maxBody) return this.#handOver(piece);
    const from = end + 4;
    const to = from + head.length;
    if (piece.length < to) return this.#beginBody(head, piece, from);
    if (piece.length > to) this.#keepForLater(piece.subarray(to));
    this.#serve(head, piece.subarray(from, to));
  }

  #beginBody(head: PlainHead, piece: Buffer, from: number) {
    if (this.#parts.isRefused(head)) return this.#handOver(piece);
    this.#head = head;
    this.#body = new CollectedBody(head.length);
    this.#takeMore(head, this.#body, piece.subarray(from));
  }

  #takeMore(head: PlainHead, body: CollectedBody, piece: Buffer) {
    const rest = body.add(piece);
    if (!body.isWhole) return this.#waitFor("body");
    this.#head = undefined;
    this.#body = undefined;
    if (rest.length > 0) this.#keepForLater(rest);
    this.#serve(head, body.bytes);
  }

  #serve(head: PlainHead, body: Buffer): void {
    this.waits = "nothing";
    const isLast = head.isLast || this.#isClosing;
    const response = new PlainResponse(this.#socket, {
      keepAlive: isLast ? undefined : this.#parts.keepAliveSeconds,
      onOver: (over) => this.#over(over),
    });
    this.#response = response;
    const { method, url, headers, rawHeaders } = head;
    const request = { method, url, headers, rawHeaders, socket: this.#socket, complete: true, resume: () => {} };
    this.#parts.serve(new Exchange(request, response, { is: "whole", bytes: body }));
  }

  #over(response: PlainResponse): void {
    this.#response = undefined;
    if (response.isLast || this.#isClosing) return void this.#socket.destroySoon();
    this.#waitFor("next");
    if (this.#ahead !== undefined) setImmediate(() => this.#takeAhead());
  }

  /** A client that sends its next requests early waits until their turn. */
  #keepForLater(piece: Buffer): void {
    this.#ahead = this.#ahead === undefined ? piece : Buffer.concat([this.#ahead, piece]);
    this.#socket.pause();
  }

  #takeAhead(): void {
    const ahead = this.#ahead;
    if (ahead === undefined || this.#socket.destroyed) return;
    this.#ahead = undefined;
    this.#socket.resume();
    this.#take(ahead);
  }

  #waitFor(what: "body" | "next"): void {
    if (this.waits === what) return;
    this.waits = what;
    this.waitsSince = performance.now();
  }

  #handOver(piece: Buffer): void {
    const socket = this.#socket;
    socket.off("data", this.#onData).off("drain", this.#onDrain).off("end", this.#onEnd);
    socket.off("error", this.#onError).off("close", this.#onClose);
    this.#parts.onClose(this);
    socket.pause();
    socket.unshift(piece);
    this.#parts.handOver(socket);
    socket.resume();
  }

  #close(): void {
    this.#parts.onClose(this);
    this.#response?.breakOff();
  }
}
