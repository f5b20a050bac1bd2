import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { type Failure, fail, openAiError } from "../failure.ts";

/** What a client sends before the body. */
export interface RequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: string[];
}

/** What the gateway reads of a request beside its body. */
export interface ClientRequest extends RequestHead {
  readonly socket: { readonly remoteAddress?: string | undefined; destroySoon(): void };
  /** Whether all of its body has arrived. */
  readonly complete: boolean;
  resume(): unknown;
}

/** Names and values one after the other, or by name. */
export type ResponseHeaders = string[] | OutgoingHttpHeaders;

/** What the gateway uses of a response: the one of Node, or a plainer one. */
export interface ClientResponse {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly statusCode: number;
  on(event: "close" | "drain" | "error", run: () => void): unknown;
  once(event: "drain", run: () => void): unknown;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers?: ResponseHeaders): unknown;
  flushHeaders(): void;
  write(piece: Buffer | string): boolean;
  end(): unknown;
  end(text: string, done?: () => void): unknown;
  end(bytes: string, encoding: "latin1"): unknown;
  writeContinue(): void;
  destroy(): unknown;
}

/** The request line, taken apart. */
export interface Incoming {
  readonly request: ClientRequest;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

export function incomingOf(request: ClientRequest): Incoming {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  return mark === -1
    ? { request, path: url, query: "" }
    : { request, path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** Whether errors are for a program: it calls some `/v1/…`, whatever a route puts before it, or asks for JSON. */
export function wantsJson({ path, request }: Incoming): boolean {
  return path.includes("/v1/") || /\bapplication\/(?:[\w.-]+\+)?json\b/i.test(request.headers.accept ?? "");
}

const ignore = (): void => {};

/** The body of a request: all of it, what is still to be read, or what the client sends only when it is told to. */
export type ClientBody =
  | { readonly is: "whole"; readonly bytes: Buffer }
  | { readonly is: "arriving" | "awaits-go"; readonly message: IncomingMessage };

/** One request and its answer, whichever way they go. */
export class Exchange implements Incoming {
  readonly request: ClientRequest;
  readonly response: ClientResponse;
  /** Whole, or to be read. */
  readonly body: Buffer | IncomingMessage;
  readonly path: string;
  readonly query: string;
  readonly began = performance.now();
  /** How errors are written: for OpenAI's clients, or for people. */
  form: "openai" | "plain" = "plain";
  /** The client hung up before its answer was whole. */
  isGone = false;
  /** Called when the client hangs up; one at a time cares. */
  onGone: (() => void) | undefined;
  /** Whether what was begun is a stream of events, which can still carry an error. */
  isEventStream = false;
  /** Said in the access log. */
  target: string | undefined;
  /** Called with an error that no code foresaw; the request is over then, and only the request. */
  onFault: ((error: unknown) => void) | undefined;
  /** The client waits to be told that its body is wanted. */
  readonly #awaitsGo: boolean;

  constructor(request: ClientRequest, response: ClientResponse, body: ClientBody) {
    this.request = request;
    this.response = response;
    this.body = body.is === "whole" ? body.bytes : body.message;
    this.#awaitsGo = body.is === "awaits-go";
    ({ path: this.path, query: this.query } = incomingOf(request));
    // A write that comes after the end of a connection is no news: `close` has told of it.
    response.on("error", ignore);
    response.on("close", () => {
      if (response.writableFinished) return;
      this.isGone = true;
      this.onGone?.();
    });
  }

  /** Does a part of the work. Whatever goes wrong in it ends this exchange, never the process. */
  run(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.crash(error);
    }
  }

  crash(error: unknown): void {
    this.onFault?.(error);
    try {
      this.fail(fail(500, "internal_error", "Internal error; see the log of the gateway"));
    } catch {
      this.response.destroy();
    }
    this.onGone?.();
  }

  /** To be called before the body is read. */
  wantBody(): void {
    if (this.#awaitsGo) this.response.writeContinue();
  }

  get hasBody(): boolean {
    const { headers } = this.request;
    return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  }

  get hasBegun(): boolean {
    return this.response.headersSent;
  }

  /** Whether a part of the answer is sent and a part is still to come. */
  get isAnswering(): boolean {
    return this.response.headersSent && !this.response.writableFinished;
  }

  fail(failure: Failure) {
    const { response } = this;
    if (this.isGone || response.writableEnded) return;
    if (response.headersSent) return this.failLate(failure);
    const isOpenAi = this.form === "openai";
    const body = isOpenAi ? openAiError(failure) : `${failure.message}\n`;
    const headers: OutgoingHttpHeaders = {
      "content-type": isOpenAi ? "application/json" : "text/plain; charset=utf-8",
      "content-length": Buffer.byteLength(body),
    };
    if (failure.retryAfter !== undefined) headers["retry-after"] = String(failure.retryAfter);
    if (failure.status === 401) headers["www-authenticate"] = "Bearer";
    // Of a body that was not read whole, the rest would be taken for the next request.
    if (!this.request.complete) headers.connection = "close";
    response.writeHead(failure.status, headers);
    this.#endWith(body);
    if (!this.request.complete) this.request.resume();
  }

  /** The answer has begun: a stream of events can still carry an error, anything else must break visibly. */
  failLate(failure: Failure, isInsideEvent = false): void {
    const { response } = this;
    if (!this.isEventStream) {
      response.destroy();
      return;
    }
    const event = `${isInsideEvent ? "\n\n" : ""}data: ${openAiError(failure)}\n\n`;
    response.end(event, () => this.request.socket.destroySoon());
  }

  answerJson(status: number, value: unknown): void {
    const body = JSON.stringify(value);
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    this.response.writeHead(status, headers);
    this.#endWith(body);
  }

  #endWith(body: string): void {
    if (this.request.method === "HEAD") this.response.end();
    else this.response.end(body);
  }
}
