import { fail } from "../failure.ts";
import { TokenTap, type Usage } from "../openai/token-tap.ts";
import type { ResponseControl } from "../upstream/http/connection.ts";
import type { ResponseHead } from "../upstream/http/response-head.ts";
import { isForeignCors } from "./cors.ts";
import type { EarlyStream } from "./early-stream.ts";
import type { Exchange } from "./exchange.ts";
import { answerHeaders } from "./headers.ts";

export interface AnswerOptions {
  /** Whether it speaks the OpenAI API, whose answers count tokens. */
  readonly isModelCall: boolean;
  readonly changeAnswer?: ((headers: string[]) => string[]) | undefined;
}

const lineEnd = 0x0a;
/** A body of this size, complete in one piece, is sent together with its headers. */
const singleWrite = 64 * 1024;

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
  /** Bytes that were announced for the whole body; not a number once a piece has come. */
  #left = Number.NaN;
  /** Whether the next piece is the first. */
  isFirst = true;

  constructor(exchange: Exchange, options: AnswerOptions, early: EarlyStream | undefined) {
    this.#exchange = exchange;
    this.#options = options;
    this.#early = early;
  }

  begin({ status, headers, contentType, framing }: ResponseHead) {
    this.status = status;
    this.isEventStream = contentType.startsWith("text/event-stream");
    this.#isOpenEnded = framing === "until-close";
    if (this.#options.isModelCall && status === 200) this.#tap = new TokenTap();
    if (this.#early?.hasBegun) return this.#early.begin(status, this.isEventStream);
    const { response } = this.#exchange;
    this.#exchange.isEventStream = this.isEventStream;
    const answer = answerHeaders(headers, this.#options.isModelCall ? isForeignCors : undefined);
    this.#left = typeof framing === "number" ? framing : Number.NaN;
    response.writeHead(status, this.#options.changeAnswer?.(answer) ?? answer);
    if (this.isEventStream) response.flushHeaders();
  }

  /** False when the client is slower than the answer comes. */
  pass(control: ResponseControl, piece: Buffer): boolean {
    this.isFirst = false;
    this.#tap?.see(piece);
    this.#lastByte = piece[piece.length - 1] as number;
    if (this.#early?.hasBegun) return this.#early.pass(piece, control);
    return this.#write(control, piece);
  }

  #write(control: ResponseControl, piece: Buffer): boolean {
    const { response } = this.#exchange;
    const isAll = this.#left === piece.length && piece.length <= singleWrite;
    this.#left = Number.NaN;
    if (isAll) {
      // As a string of bytes it leaves in one write with its headers.
      response.end(piece.toString("latin1"), "latin1");
      return true;
    }
    const isTaken = response.write(piece);
    // Listened for when it is needed: most answers fit into the buffer of the connection.
    if (!isTaken) response.once("drain", () => control.isPaused && control.resume());
    return isTaken;
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
