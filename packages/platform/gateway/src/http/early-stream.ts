import type { Cancel, Clock } from "@trivium/runtime";
import { isObject } from "@trivium/std";
import type { ResponseControl } from "../upstream/http/connection.ts";
import type { Exchange } from "./exchange.ts";

/** Until then a client still gets the status of the real answer. */
const patience = 5_000;
const keepAlive = 10_000;
const longestError = 64 * 1024;

/** An answer that begins before there is anything to say, so that neither clients nor proxies give up. */
export interface EarlyStream {
  /** Whether headers were sent before the real answer began. */
  readonly hasBegun: boolean;
  /** There are news. */
  tell(): void;
  /** No more comments, until it waits again. */
  pause(): void;
  resume(): void;
  /** The real answer begins: its events can follow; anything else becomes one event. */
  begin(status: number, isEventStream: boolean): void;
  /** A piece of the real answer; false when the client is slower than it comes. */
  pass(piece: Buffer, controller: ResponseControl): boolean;
  end(): void;
}

export function earlyStream(exchange: Exchange, clock: Clock, progress: () => string): EarlyStream {
  return new Comments(exchange, clock, progress);
}

class Comments implements EarlyStream {
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  readonly #progress: () => string;
  #timer: Cancel | undefined;
  #isPaused = false;
  /** The pieces of an answer that is no stream of events. */
  #other: Buffer[] | undefined;
  #otherSize = 0;
  #waits: ResponseControl | undefined;
  hasBegun = false;

  constructor(exchange: Exchange, clock: Clock, progress: () => string) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#progress = progress;
    this.#timer = clock.schedule(patience, () => this.#open());
  }

  tell(): void {
    if (this.hasBegun && !this.#isPaused) this.#comment();
  }

  pause(): void {
    this.#isPaused = true;
    this.#timer?.();
  }

  resume(): void {
    this.#isPaused = false;
    const [delay, next] = this.hasBegun ? [keepAlive, () => this.#comment()] : [patience, () => this.#open()];
    this.#timer?.();
    this.#timer = this.#clock.schedule(delay, next);
  }

  begin(_status: number, isEventStream: boolean): void {
    this.pause();
    if (!isEventStream) this.#other = [];
  }

  pass(piece: Buffer, controller: ResponseControl): boolean {
    if (this.#other === undefined) {
      this.#waits = controller;
      return this.#exchange.response.write(piece);
    }
    this.#otherSize += piece.length;
    if (this.#otherSize <= longestError) this.#other.push(piece);
    return true;
  }

  end(): void {
    const { response } = this.#exchange;
    if (this.#other === undefined) response.end();
    else response.end(`data: ${asEvent(Buffer.concat(this.#other).toString("utf8"))}\n\n`);
  }

  #open(): void {
    if (this.#exchange.hasBegun || this.#exchange.isGone) return;
    this.hasBegun = true;
    this.#exchange.isEventStream = true;
    const { response } = this.#exchange;
    response.on("drain", () => this.#waits?.isPaused && this.#waits.resume());
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    this.#comment();
  }

  #comment(): void {
    this.#exchange.response.write(`: ${this.#progress()}\n\n`);
    this.#timer?.();
    this.#timer = this.#clock.schedule(keepAlive, () => this.#comment());
  }
}

/** An error of the model server goes on as it is; anything else is wrapped so that clients see an error. */
function asEvent(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value))
      return JSON.stringify(value.error === undefined && value.choices === undefined ? { error: value } : value);
  } catch {
    // Not JSON: a page of a proxy, perhaps.
  }
  return JSON.stringify({
    error: { message: text.slice(0, 1_000), type: "server_error", param: null, code: "upstream_failed" },
  });
}
