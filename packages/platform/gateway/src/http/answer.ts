import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { fail } from "../failure.ts";
import { TokenTap, type Usage } from "../openai/token-tap.ts";
import { dropForeignCors } from "./cors.ts";
import type { EarlyStream } from "./early-stream.ts";
import type { Exchange } from "./exchange.ts";
import { answerHeaders } from "./headers.ts";

export interface AnswerOptions {
  /** Whether it speaks the OpenAI API, whose answers count tokens. */
  readonly isModelCall: boolean;
  readonly changeAnswer?: ((headers: OutgoingHttpHeaders) => void) | undefined;
}

const lineEnd = 0x0a;

/** The answer of a replica on its way back, piece by piece as it comes. */
export class Answer {
  readonly #exchange: Exchange;
  readonly #options: AnswerOptions;
  /** What was begun while the request waited. */
  readonly #early: EarlyStream | undefined;
  #tap: TokenTap | undefined;
  /** It ends when the connection does, so that its end proves nothing. */
  #isOpenEnded = false;
  #lastByte = lineEnd;
  status = 0;
  isEventStream = false;
  /** Whether the next piece is the first. */
  isFirst = true;

  constructor(exchange: Exchange, options: AnswerOptions, early: EarlyStream | undefined) {
    this.#exchange = exchange;
    this.#options = options;
    this.#early = early;
  }

  begin(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders) {
    this.status = status;
    this.isEventStream = String(headers["content-type"] ?? "").startsWith("text/event-stream");
    this.#isOpenEnded = headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
    if (this.#options.isModelCall && status === 200) this.#tap = new TokenTap();
    if (this.#early?.hasBegun) return this.#early.begin(status, this.isEventStream);
    const { response } = this.#exchange;
    this.#exchange.isEventStream = this.isEventStream;
    const answer = answerHeaders(headers);
    if (this.#options.isModelCall) dropForeignCors(answer);
    this.#options.changeAnswer?.(answer);
    response.on("drain", () => controller.paused && controller.resume());
    response.writeHead(status, answer);
    if (this.isEventStream) response.flushHeaders();
  }

  /** False when the client is slower than the answer comes. */
  pass(controller: Dispatcher.DispatchController, piece: Buffer): boolean {
    this.isFirst = false;
    this.#tap?.see(piece);
    this.#lastByte = piece[piece.length - 1] as number;
    return this.#early?.hasBegun ? this.#early.pass(piece, controller) : this.#exchange.response.write(piece);
  }

  /** Whether the end that was met can be the real one. */
  get isWhole(): boolean {
    return !this.isEventStream || !this.#isOpenEnded || this.#tap === undefined || this.#tap.hasSaidDone;
  }

  get usage(): Usage | undefined {
    return this.#tap?.usage();
  }

  end(): void {
    if (this.#early?.hasBegun) this.#early.end();
    else this.#exchange.response.end();
  }

  /** Never a silent end that looks like the whole answer. */
  breakOff(message: string): void {
    this.#exchange.failLate(fail(502, "upstream_broke_off", message), this.#lastByte !== lineEnd);
  }
}
